// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the slots of one kind of call lie, in memory of the backend.
#pragma once

#include "rankfold/array.hpp"
#include "rankfold/slot.hpp"

#include <cstddef>
#include <vector>

namespace rankfold::detail {

/// One slot per rank. Records that do not fit the slots lie in `overflow`, one row per rank.
struct exchange_buffers {
    fingerprint head{};
    std::size_t row_bytes = 0;              ///< of all records of a rank
    std::size_t slot_stride = sizeof(slot); ///< transport peer: wide enough for all records
    backend_memory slots;
    backend_memory overflow;      ///< empty where the records fit the slots
    std::vector<slot> host_slots; ///< transport mpi on GPUs: where MPI reads and writes
    std::vector<std::byte> host_overflow;

    [[nodiscard]] slot* slot_of(int rank) const noexcept
    {
        return reinterpret_cast<slot*>(static_cast<std::byte*>(slots.data()) +
                                       static_cast<std::size_t>(rank) * slot_stride);
    }
    /// The first record of a rank, and the distance to the next rank's.
    [[nodiscard]] std::byte* records_of(int rank) const noexcept
    {
        auto* rows = static_cast<std::byte*>(overflow.data());
        return rows ? rows + static_cast<std::size_t>(rank) * row_bytes : slot_of(rank)->payload;
    }
    [[nodiscard]] std::size_t stride() const noexcept { return overflow.data() ? row_bytes : slot_stride; }
    [[nodiscard]] std::size_t bytes() const noexcept { return slots.bytes() + overflow.bytes(); }
};

} // namespace rankfold::detail

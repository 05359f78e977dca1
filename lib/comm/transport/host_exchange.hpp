// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Slots and rows of all ranks in host memory, over MPI; calls are compared on the way.
#pragma once

#include "transport/transport.hpp"

#include <span>

namespace rankfold::detail {

/// Gathers every rank's slot; this rank's gets the fingerprint of `call`.
/// @throws error (usage, mismatch) alike on all ranks; (timeout)
void gather_slots(const transport_context& context, const call_description& call, std::span<slot> slots);

/// Gathers every rank's row, of a call that all agree on. @throws error (timeout)
void gather_rows(const transport_context& context, const call_description& call, std::byte* rows,
                 std::size_t row_bytes);

} // namespace rankfold::detail

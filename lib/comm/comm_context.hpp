// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of one communicator see of it.
#pragma once

#include "comm/state.hpp"
#include "setup/rank_info.hpp"
#include "setup/settings.hpp"

#include "rankfold/mpi.hpp"

#include <vector>

namespace rankfold::detail {

class call_ledger;
class host_gather;
class memory_space;

struct comm_context {
    const membership& self;
    const settings& asked;
    const logger& log;
    MPI_Comm comm;
    const std::vector<rank_info>& ranks;
    memory_space& memory;
    call_ledger& ledger;
    host_gather& gather;

    [[nodiscard]] const rank_info& info(int rank) const { return ranks[static_cast<std::size_t>(rank)]; }
    /// Where work of call `number` runs.
    [[nodiscard]] place place_on(CUstream_st* stream, std::uint64_t number) const noexcept;
};

} // namespace rankfold::detail

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a communicator's ranks compute and exchange: chosen by all ranks alike, since the choice is a pure
// function of what all know of each other; and made. The only place that asks which transport it is.
#pragma once

#include "setup/rank_info.hpp"

#include <memory>

namespace rankfold::detail {

class exchange_transport;
struct transport_context;

struct choice_of_path {
    rankfold::backend backend;
    rankfold::transport transport;
    std::string reason;  ///< one clause for describe()
    std::string warning; ///< empty, or one line for rank 0 to log
};

/// @throws error (usage), the same on every rank: problems of ranks, different requests, a mixture of GPUs
/// and none, different versions of the library or of NCCL
choice_of_path choose_path(const std::vector<rank_info>& ranks);

/// Collective. What shows only when it is tried is put into `path`. @throws error
std::shared_ptr<exchange_transport> make_transport(const transport_context& context, choice_of_path& path);

/// The table behind communicator::describe.
/// @param device_bytes  of GPU memory that the communicator holds on each rank
std::string describe_table(const std::vector<rank_info>& ranks, const choice_of_path& path,
                           double creation_ms, std::size_t device_bytes);

} // namespace rankfold::detail

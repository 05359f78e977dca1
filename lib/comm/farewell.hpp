// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks whose call failed tell each other what they called: over MPI, whatever the transport.
#pragma once

#include "comm/call.hpp"

#include <optional>
#include <vector>

namespace rankfold::detail {

struct communicator_parts;

/// By rank; empty where a rank did not say.
using descriptions = std::vector<std::optional<call_description>>;

/// True if another rank has said farewell to call `number`. Does not wait.
bool others_have_failed(communicator_parts& parts, std::uint64_t number);

/// Sends `mine` to all other ranks and waits a bounded time for theirs of the same call.
descriptions exchange_descriptions(communicator_parts& parts, int rank, int size,
                                   const call_description& mine);

} // namespace rankfold::detail

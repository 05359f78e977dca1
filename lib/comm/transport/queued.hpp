// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the two transports share that queue exchanges on streams: NCCL's communicator, and mailboxes.
#pragma once

#include "memory_space.hpp"
#include "transport/device_gather.hpp"
#include "transport/nccl_communicator.hpp"
#include "transport/peer_mailbox.hpp"
#include "transport/transport.hpp"

namespace rankfold::detail {

inline mailbox_request mailbox_for(const comm_context& comm, const nccl_communicator& nccl)
{
    return {.comm = nccl.handle(),
            .mpi = comm.comm,
            .rank = comm.self.rank,
            .size = comm.self.size,
            .timeout_s = comm.asked.timeout_s,
            .set_up_s = unhurried(comm.asked.timeout_s),
            .stream = comm.memory.own_stream(),
            .rescue = comm.memory.rescue_stream()};
}

std::shared_ptr<exchange_transport> make_peer_transport(const transport_context& context,
                                                        std::unique_ptr<nccl_communicator> nccl,
                                                        std::unique_ptr<peer_mailbox> mailbox);
/// @param within_nodes  null: all ranks alike
std::shared_ptr<exchange_transport> make_nccl_transport(const transport_context& context,
                                                        std::unique_ptr<nccl_communicator> nccl,
                                                        std::unique_ptr<device_gather> within_nodes);

} // namespace rankfold::detail

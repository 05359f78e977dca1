// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/queued.hpp"

#include "comm/error.hpp"
#include "setup/path.hpp"
#include "transport/device_gather.hpp"

namespace rankfold::detail {
namespace {

std::string or_another(const std::string& why_not)
{
    return why_not.empty() ? "another rank cannot" : why_not;
}

/// Mailboxes of all ranks, which are on one node; null where they do not reach each other.
std::unique_ptr<peer_mailbox> try_mailbox(const comm_context& comm, const nccl_communicator& nccl,
                                          choice_of_path& path)
{
    std::string why_not;
    auto mailbox = peer_mailbox::make(mailbox_for(comm, nccl), why_not);
    if (!mailbox) {
        path.reason += "; peer: " + or_another(why_not);
    }
    return mailbox;
}

/// On several nodes that are alike: mailboxes within each.
std::unique_ptr<device_gather> try_nodes(const comm_context& comm, nccl_communicator& nccl,
                                         choice_of_path& path)
{
    const node_layout layout = lay_out_nodes(comm.ranks);
    if (layout.ranks_per_node == 0) {
        path.reason += "; nodes have different numbers of ranks";
        return nullptr;
    }
    std::string why_not;
    auto gather = make_node_gather({.whole = nccl,
                                    .mpi = comm.comm,
                                    .layout = layout,
                                    .rank = comm.self.rank,
                                    .device = comm.self.device,
                                    .mailbox = mailbox_for(comm, nccl)},
                                   why_not);
    path.reason += gather ? "; mailboxes within each of " + std::to_string(comm.self.nodes) + " nodes"
                          : "; mailboxes: " + or_another(why_not);
    return gather;
}

} // namespace

/// Peer access shows only when it is tried: mailboxes are taken where all ranks have them, else NCCL alone.
std::shared_ptr<exchange_transport> make_queued_transport(const transport_context& context,
                                                          choice_of_path& path)
{
    const comm_context& comm = context.comm;
    const device_runtime::guard current(comm.self.device);
    comm.memory.expect_waits();
    auto nccl =
        std::make_unique<nccl_communicator>(comm.comm, comm.self.device, unhurried(comm.asked.timeout_s));
    std::unique_ptr<device_gather> within_nodes;
    if (comm.asked.transport != rankfold::transport::nccl) {
        if (comm.self.nodes > 1) {
            within_nodes = try_nodes(comm, *nccl, path);
        } else if (auto mailbox = try_mailbox(comm, *nccl, path)) {
            path.transport = rankfold::transport::peer;
            path.reason = "all GPUs in one NVLink domain";
            return make_peer_transport(context, std::move(nccl), std::move(mailbox));
        }
    }
    if (comm.asked.transport == rankfold::transport::peer) {
        throw_usage("communicator: transport peer is not possible here (" + path.reason +
                    "); leave RANKFOLD_TRANSPORT unset to take nccl");
    }
    path.transport = rankfold::transport::nccl;
    return make_nccl_transport(context, std::move(nccl), std::move(within_nodes));
}

} // namespace rankfold::detail

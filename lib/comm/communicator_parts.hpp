// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a communicator, in the order in which they are made. Each sees those before it.
#pragma once

#include "comm_context.hpp"
#include "memory_space.hpp"
#include "runtime/owned_comm.hpp"
#include "setup/introduction.hpp"
#include "transport/host_gather.hpp"
#include "transport/transport.hpp"
#include "watch/call_ledger.hpp"
#include "watch/failure.hpp"

namespace rankfold::detail {

struct communicator_parts {
    /// What needs no other rank. @throws error, on this rank alone
    communicator_parts(const membership& self, MPI_Comm mpi, introduction all);
    ~communicator_parts();
    communicator_parts(const communicator_parts&) = delete;
    communicator_parts& operator=(const communicator_parts&) = delete;

    /// Makes the transport, and starts the watchdog. Collective. @throws error, maybe on this rank alone
    void connect(choice_of_path& path);

    [[nodiscard]] transport_context for_transport() { return {context, failure}; }

    owned_comm comm; ///< null until all ranks have all their parts
    introduction known;
    memory_space memory;
    call_ledger ledger;
    host_gather gather;
    comm_context context;
    failure_handler failure;
    std::shared_ptr<exchange_transport>
        transport; ///< null before connect(); shared with a thread that ends it

private:
    /// In bounded time. False if not all is given back.
    [[nodiscard]] bool end_transport(bool failed) noexcept;
    [[nodiscard]] bool end_calls(bool& failed);
};

} // namespace rankfold::detail

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks come to know each other: a communicator of their own, and what each of them is and asks for.
#pragma once

#include "runtime/forks.hpp"
#include "runtime/owned_comm.hpp"
#include "setup/rank_info.hpp"
#include "setup/settings.hpp"
#include "watch/log.hpp"
#include "watch/progress_board.hpp"
#include "watch/watch_thread.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace rankfold::detail {

struct introduction {
    settings asked;
    std::unique_ptr<logger> log;
    std::vector<rank_info> ranks;
    std::unique_ptr<progress_board> progress;
    bool main_thread_only = false;       ///< only the thread that initialised MPI may call it
    std::shared_ptr<watch_thread> watch; ///< started before other ranks depend on it
    unsigned made_at = forks();          ///< at another count this is the copy of a child
};

/// A duplicate whose errors are returned. @throws error (usage) where the communicator is none
owned_comm duplicate(mpi_handle handle);

/// Collective. What is wrong with this rank becomes a problem that travels with what is known of it: nothing
/// throws on one rank alone.
introduction introduce(MPI_Comm comm, const communicator_options& options);

/// Runs a step of set-up that may fail on one rank alone. Collective. @throws error on all ranks where it
/// failed on one, naming it
void succeed_together(MPI_Comm comm, const std::function<void()>& step);

} // namespace rankfold::detail

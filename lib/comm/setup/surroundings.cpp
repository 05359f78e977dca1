// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/surroundings.hpp"

#include "runtime/mpi_check.hpp"
#include "setup/starter.hpp"
#include "setup/variables.hpp"

#include <atomic>
#include <unistd.h>

namespace rankfold::detail {

void warn_of_surroundings(const logger& log)
{
    static std::atomic_flag told = ATOMIC_FLAG_INIT;
    if (told.test_and_set()) {
        return;
    }
    int world_ranks = 0;
    RANKFOLD_MPI(MPI_Comm_size(MPI_COMM_WORLD, &world_ranks));
    for (const std::string& advice : {advice_on_names(environ), advice_on_starter(world_ranks)}) {
        if (!advice.empty()) {
            log.write(log_level::warn, advice);
        }
    }
}

} // namespace rankfold::detail

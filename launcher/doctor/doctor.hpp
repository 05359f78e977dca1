// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpirun.hpp"
#include "node/mpi_world.hpp"
#include "process/environment.hpp"
#include "topology/driver.hpp"
#include "topology/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rankfold::launcher {

/// What the doctor looks at, gathered beforehand so that the judgement is a pure function.
struct facts {
    topology::machine where = {};
    std::string machine_failure = {}; ///< why the machine could not be read; then `where` is empty
    topology::driver_report driver = {};
    int runtime_version = 0; ///< CUDA runtime of this build or installation, 12040 for 12.4; 0 if none
    std::vector<std::string> nccl = {}; ///< real paths of the copies found
    int nccl_version = 0;               ///< of the one that the loader takes
    std::string visible_devices = {};   ///< CUDA_VISIBLE_DEVICES
    bool visible_devices_set = false;
    int ranks = 0;                      ///< asked for; 0 if not known
    double cpu_quota = 0;               ///< cores' worth of time that the cgroup grants; 0 if unlimited
    long long shared_memory_bytes = -1; ///< size of /dev/shm; -1 if missing
    bool root = false;
    std::optional<mpirun> starter = {};
    std::optional<started_job> job = {};        ///< that this process is a task of, or that it would start
    std::optional<linked_mpi> program_mpi = {}; ///< of the program given, if it can be seen
    std::string program_failure = {};           ///< why the program given cannot run
    std::string omp_num_threads = {};           ///< OMP_NUM_THREADS; empty if not set
    bool root_permitted = false;                ///< Open MPI's two variables are set
    std::optional<bool> mpi_cuda = {};          ///< MPI was built with CUDA support, if it says
    bool memory_policy_permitted = true;
};

enum class severity { good, note, problem };

struct finding {
    severity level = severity::good;
    std::string what = {};
    std::string remedy = {}; ///< empty for good ones
};

facts gather_facts(const options& chosen, const environment& variables);

std::vector<finding> diagnose(const facts& seen);

std::string to_text(const std::vector<finding>& findings);

} // namespace rankfold::launcher

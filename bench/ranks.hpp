// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contests across ranks: a plan of the library against CUB + NCCL and CUB + MPI.
#pragma once

#include "contest.hpp"
#include "group.hpp"

#include "rankfold/communicator.hpp"

#include <nccl.h>

namespace rankfold::bench {

/// @throws std::runtime_error if `status` is not a success
void check(ncclResult_t status, const char* what);

/// A communicator of NCCL over the ranks.
class nccl_group {
public:
    /// Collective.
    explicit nccl_group(const group& ranks);
    ~nccl_group();
    nccl_group(const nccl_group&) = delete;
    nccl_group& operator=(const nccl_group&) = delete;
    [[nodiscard]] ncclComm_t comm() const { return comm_; }

private:
    ncclComm_t comm_ = nullptr;
};

/// What all contests of a run work with.
struct party {
    const group& ranks;
    const communicator& own;
    const nccl_group* nccl; ///< null where ranks share a GPU: NCCL refuses them
    gpu device;
};

[[nodiscard]] std::vector<contest> reduce_contests(const party& all);
[[nodiscard]] std::vector<contest> scan_contests(const party& all);
[[nodiscard]] std::vector<contest> exscan_contests(const party& all);

} // namespace rankfold::bench

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include <stdexcept>

namespace rankfold::bench {

void check(ncclResult_t status, const char* what)
{
    if (status != ncclSuccess) {
        throw std::runtime_error(std::string(what) + ": " + ncclGetErrorString(status));
    }
}

nccl_group::nccl_group(const group& ranks)
{
    ncclUniqueId id{};
    if (ranks.rank() == 0) {
        check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    }
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, ranks.comm());
    check(ncclCommInitRank(&comm_, ranks.size(), id, ranks.rank()), "ncclCommInitRank");
}

nccl_group::~nccl_group()
{
    ncclCommDestroy(comm_);
}

} // namespace rankfold::bench

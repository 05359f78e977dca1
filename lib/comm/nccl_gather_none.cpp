// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nccl_gather.hpp"

namespace rankfold::detail {

nccl_versions versions_of_nccl()
{
    return {0, 0};
}

std::unique_ptr<nccl_gather> nccl_gather::make(MPI_Comm, int, int)
{
    throw error(errc::unsupported, error_origin::nccl, 0, -1, "Rankfold was built without NCCL");
}

} // namespace rankfold::detail

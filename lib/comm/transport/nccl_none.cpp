// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for everything of NCCL's where the library is built without it.
#include "transport/device_gather.hpp"
#include "transport/queue_marks.hpp"

namespace rankfold::detail {
namespace {

[[noreturn]] void throw_none()
{
    throw error(errc::unsupported, error_origin::nccl, 0, -1, "Rankfold was built without NCCL");
}

} // namespace

nccl_versions versions_of_nccl()
{
    return {0, 0};
}

nccl_communicator::nccl_communicator(MPI_Comm, int, double)
{
    throw_none();
}
nccl_communicator::nccl_communicator(const nccl_communicator&, MPI_Comm, int, int, int, double)
{
    throw_none();
}
nccl_communicator::~nccl_communicator() = default;
const char* nccl_communicator::asynchronous_error() const noexcept
{
    return nullptr;
}
bool nccl_communicator::abort(double) noexcept
{
    return true;
}

std::unique_ptr<device_gather> make_nccl_gather(nccl_communicator&, int, int)
{
    throw_none();
}
std::unique_ptr<device_gather> make_node_gather(const node_gather_request&, std::string&)
{
    throw_none();
}

void queue_marks::open(slot*, const fingerprint&, const place&)
{
    throw_none();
}
void queue_marks::close(const place&)
{
    throw_none();
}

} // namespace rankfold::detail

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankfold/communicator.hpp"

#include "comm/state.hpp"

namespace rankfold {

communicator::communicator(mpi_handle comm, const communicator_options& options)
    : state_(std::make_shared<detail::communicator_state>(comm, options))
{
}
communicator::communicator(communicator&&) noexcept = default;
communicator& communicator::operator=(communicator&&) noexcept = default;
communicator::~communicator() = default;

int communicator::rank() const noexcept
{
    return state_->rank;
}
int communicator::size() const noexcept
{
    return state_->size;
}
int communicator::node() const noexcept
{
    return state_->node;
}
int communicator::nodes() const noexcept
{
    return state_->nodes;
}
rankfold::backend communicator::backend() const noexcept
{
    return state_->backend;
}
rankfold::transport communicator::transport() const noexcept
{
    return state_->transport;
}
int communicator::device() const noexcept
{
    return state_->device;
}
int communicator::threads() const noexcept
{
    return state_->threads;
}
const std::string& communicator::describe() const noexcept
{
    return state_->description;
}
void communicator::wait(CUstream_st* stream)
{
    state_->wait(stream);
}
errc communicator::status() const noexcept
{
    return state_->status();
}
void communicator::write_flight_record(const std::string& path) const
{
    state_->write_flight_record(path);
}
void communicator::abort() noexcept
{
    state_->abort();
}

} // namespace rankfold

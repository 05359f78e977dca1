// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "queue_marks.hpp"

#include "device_runtime.hpp"

#include "rankfold/device/exchange_mark.cuh"
#include "rankfold/device/launch.cuh"

namespace rankfold::detail {
namespace {

void launch_mark(const device::exchange_mark_kernel::arguments& arguments, const place& where)
{
    device::launch<device::exchange_mark_kernel>("exchange_mark_kernel", 1, arguments, where);
}

} // namespace

queue_marks::queue_marks(CUstream_st* stream)
    : sequence_(static_cast<std::uint32_t*>(device_runtime::allocate(sizeof(std::uint32_t), stream))),
      mirror_(static_cast<exchange_mark*>(device_runtime::allocate_pinned(sizeof(exchange_mark)))),
      stream_(stream)
{
}

queue_marks::~queue_marks()
{
    device_runtime::release(sequence_, stream_);
    device_runtime::release_pinned(mirror_);
}

void queue_marks::open(slot* own, const place& where)
{
    launch_mark(
        {.opens = true, .sequence = sequence_, .mirror = mirror_, .own = own, .failure = where.failure},
        where);
}

void queue_marks::close(const place& where)
{
    launch_mark(
        {.opens = false, .sequence = sequence_, .mirror = mirror_, .own = nullptr, .failure = where.failure},
        where);
}

} // namespace rankfold::detail

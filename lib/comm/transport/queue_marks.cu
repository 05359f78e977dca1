// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/queue_marks.hpp"

#include "rankfold/device/exchange_mark.cuh"
#include "rankfold/device/launch.cuh"

namespace rankfold::detail {
namespace {

void launch_mark(const device::exchange_mark_kernel::arguments& arguments, const place& where)
{
    device::launch<device::exchange_mark_kernel>("exchange_mark_kernel", 1, arguments, where);
}

} // namespace

void queue_marks::open(slot* own, const fingerprint& head, const place& where)
{
    launch_mark({.opens = true,
                 .sequence = sequence_.get(),
                 .mirror = mirror_.get(),
                 .own = own,
                 .head = head,
                 .failure = where.failure},
                where);
}

void queue_marks::close(const place& where)
{
    launch_mark({.opens = false,
                 .sequence = sequence_.get(),
                 .mirror = mirror_.get(),
                 .own = nullptr,
                 .head = {},
                 .failure = where.failure},
                where);
}

} // namespace rankfold::detail

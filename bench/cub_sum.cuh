// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cub_call.hpp"

#include <cub/device/device_reduce.cuh>

namespace rankfold::bench {

/// The sum of a piece by CUB.
template <class T>
action cub_sum(const gpu& device, const T* input, std::int64_t count, const shared_memory& total)
{
    return cub_call([=, stream = device.stream](void* workspace, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(workspace, bytes, input, total->as<T>(), count, stream);
    });
}

} // namespace rankfold::bench

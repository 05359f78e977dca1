// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums whose bits tell in which order they were made, for tests of how kernels are launched.
#pragma once

#include "forms.hpp"

#include "rankfold/permitted.hpp"

#include <optional>

namespace rankfold::test {

/// Floats of all magnitudes whose sum depends on the order.
struct noise {
    __device__ float operator()(std::int64_t i) const
    {
        auto x = static_cast<std::uint32_t>(i) * 2654435761U;
        x ^= x >> 15;
        return static_cast<float>(static_cast<std::int32_t>(x)) * (x % 3 == 0 ? 1e-6F : 1.0F);
    }
};

class noisy_sums : public gpu_test {
protected:
    using algebra = builtin_algebra<operator_id::sum, float, float>;
    using phases = device::phases<algebra>;

    void SetUp() override
    {
        gpu_test::SetUp();
        if (reduced()) {
            GTEST_SKIP() << "calls that CUDA refuses on purpose are findings of the sanitizers";
        }
        if (!IsSkipped()) {
            in.emplace(most * 4);
            out.emplace(most * 4);
            space.emplace(most, here);
            set(in->as<float>(), most, noise{});
            EXPECT_EQ(cudaStreamSynchronize(here.stream), cudaSuccess);
        }
    }

    float sum_of_ones()
    {
        set(in->as<float>(), 1000, constant<float>{1.0F});
        phases::reduce(what, space->reduce(in->as<>(), 1000), here);
        return fetch<float>(space->record()).value();
    }

    /// The bits of a scan that has an init, in a form, on a stream.
    std::vector<float> scanned(form by, std::int64_t count, const place& where)
    {
        scan_task task = space->scan(in->as<>(), out->as<>(), count);
        space->put_before(task, partial<float>(3.0F), here);
        clear(*out, static_cast<std::size_t>(count) * 4);
        EXPECT_EQ(cudaStreamSynchronize(here.stream), cudaSuccess);
        scan_by<algebra>(by, what, task, where);
        EXPECT_EQ(cudaStreamSynchronize(where.stream), cudaSuccess);
        std::vector<float> got(static_cast<std::size_t>(count));
        EXPECT_EQ(cudaMemcpy(got.data(), out->as<>(), got.size() * 4, cudaMemcpyDefault), cudaSuccess);
        return got;
    }

    static constexpr std::int64_t most = 1 << 20;
    const operation what = describe_operation(algebra{}, operator_id::sum);
    std::optional<device_memory> in;
    std::optional<device_memory> out;
    std::optional<room<algebra>> space;
};

} // namespace rankfold::test

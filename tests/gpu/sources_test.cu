// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels over sources that are not one contiguous array.
#include "device.hpp"
#include "support/interval.hpp"

namespace rankfold::test {

/// Sums of products, exact for small integers.
struct dot : value_algebra<device::zipped_pair<float, float>, double> {
    static constexpr bool commutative = true;
    static constexpr bool has_identity = true;

    RANKFOLD_HOST_DEVICE double lift(input x, std::int64_t) const
    {
        return static_cast<double>(x.first) * x.second;
    }
    RANKFOLD_HOST_DEVICE double combine(double l, double r) const { return l + r; }
    RANKFOLD_HOST_DEVICE double identity() const { return 0; }
};

namespace {

struct widen {
    RANKFOLD_HOST_DEVICE std::int64_t operator()(std::int32_t x) const { return x; }
};
struct index {
    __device__ std::int32_t operator()(std::int64_t i) const { return static_cast<std::int32_t>(i); }
};
struct modulo {
    int divisor;
    __device__ float operator()(std::int64_t i) const { return static_cast<float>(i % divisor); }
};

class Sources : public gpu_test {
protected:
    /// The record that a reduction over the source leaves.
    template <class A, class S>
    partial<typename A::accumulator> reduce(const S& source, std::int64_t count)
    {
        constexpr device::reduce_tuning row = device::reduce_row(sizeof(typename A::input));
        using kernel = device::reduce_kernel<A, S, row>;
        const std::size_t space = device::phases<A>::workspace_bytes(0, here);
        const device_memory workspace(space);
        const device_memory record(64);
        clear(workspace, space);
        clear(record, 64);
        const device::chunking chunks = device::cut_into_chunks(count, row);
        device::launch<kernel>("reduce_kernel", device::resident_blocks<kernel>(chunks.count, here),
                               {.algebra = A{},
                                .source = source,
                                .count = count,
                                .chunks = chunks,
                                .record = record.as<>(),
                                .control = workspace.as<device::control>(),
                                .partials = workspace.as<std::uint64_t>(sizeof(device::control)),
                                .end = {}},
                               here);
        return fetch<typename A::accumulator>(record.as<>());
    }
};

constexpr std::int64_t counts[]{1, 1000, 300'007, 20'000'003};

TEST_F(Sources, ReduceTransformedElements)
{
    for (const std::int64_t count : counts) {
        if (reduced() && count > 1000) {
            break;
        }
        const device_memory x((count + 1) * 4);
        set(x.as<std::int32_t>() + 1, count, index{});
        using source = device::transformed<device::contiguous<std::int32_t>, widen>;

        const auto found = reduce<interval_algebra>(
            source{device::contiguous<std::int32_t>(x.as<std::int32_t>() + 1), {}}, count);

        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found.value(), interval(0, count)) << count;
    }
}

TEST_F(Sources, ReducePairsOfDifferentAlignment)
{
    for (const std::int64_t count : counts) {
        if (reduced() && count > 1000) {
            break;
        }
        const device_memory x(count * 4);
        const device_memory y((count + 1) * 4);
        set(x.as<float>(), count, modulo{5});
        set(y.as<float>() + 1, count, modulo{3});
        using source = device::zipped<device::contiguous<float>, device::contiguous<float>>;

        const auto found = reduce<dot>(
            source{device::contiguous<float>(x.as<float>()), device::contiguous<float>(y.as<float>() + 1)},
            count);

        double right = count / 15 * 30.0; // a period of 15 elements
        for (std::int64_t i = count / 15 * 15; i < count; ++i) {
            right += static_cast<double>(i % 5) * static_cast<double>(i % 3);
        }
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found.value(), right) << count;
    }
}

} // namespace
} // namespace rankfold::test

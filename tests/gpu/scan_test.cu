// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every form of the scan on the interval monoid, around its internal boundaries.
#include "device.hpp"
#include "support/interval.hpp"

namespace rankfold::test {
namespace {

constexpr int first = 5; // elements begin here, and what stands before them ends

/// [begin, end) in 8 bytes, poisoned where end < begin: can be scanned in place.
struct narrow_interval {
    std::int32_t begin;
    std::int32_t end;
    RANKFOLD_HOST_DEVICE narrow_interval(std::int64_t b, std::int64_t e)
        : begin(static_cast<std::int32_t>(b)), end(static_cast<std::int32_t>(e))
    {
    }
    friend RANKFOLD_HOST_DEVICE bool operator==(const narrow_interval&, const narrow_interval&) = default;
};

struct narrow_algebra {
    using input = narrow_interval;
    using accumulator = narrow_interval;
    using output = narrow_interval;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = false;

    RANKFOLD_HOST_DEVICE accumulator lift(input x, std::int64_t) const { return x; }
    RANKFOLD_HOST_DEVICE accumulator combine(accumulator l, accumulator r) const
    {
        return l.end == r.begin && l.begin < l.end && r.begin < r.end ? accumulator(l.begin, r.end)
                                                                      : accumulator(1, 0);
    }
    RANKFOLD_HOST_DEVICE accumulator seal(accumulator a, std::int64_t) const { return a; }
    RANKFOLD_HOST_DEVICE output lower(accumulator a) const { return a; }
    RANKFOLD_HOST_DEVICE accumulator raise(output r) const { return r; }
};

template <class Input>
struct element_at {
    __device__ Input operator()(std::int64_t i) const
    {
        if constexpr (std::is_same_v<Input, std::int64_t>) {
            return i + first;
        } else {
            return Input(i + first, i + first + 1);
        }
    }
};

/// Result i of a scan: [begin, first + i + extra).
template <class Output>
struct joined {
    std::int64_t begin;
    std::int64_t extra;
    __device__ Output operator()(std::int64_t i) const { return Output(begin, first + i + extra); }
};

struct scan_case {
    std::int64_t count;
    bool inclusive = true;
    bool with_init = true;
    bool in_place = false;
    int shift = 0; ///< elements into the arrays
};

template <class A>
class Scan : public gpu_test {
protected:
    using input = typename A::input;
    using output = typename A::output;
    using accumulator = typename A::accumulator;
    using phases = device::phases<A>;

    static constexpr std::int64_t crossover = device::bulk_crossover_bytes / phases::widest_bytes;

    void SetUp() override
    {
        gpu_test::SetUp();
        if (!IsSkipped()) {
            const std::int64_t most = crossover + 64;
            const std::size_t bytes = phases::workspace_bytes(most, here);
            in = std::make_unique<device_memory>(most * sizeof(input));
            out = std::make_unique<device_memory>(most * sizeof(output));
            workspace = std::make_unique<device_memory>(bytes);
            records = std::make_unique<device_memory>(512);
            clear(*workspace, bytes);
        }
    }

    [[nodiscard]] bool can(form by) const { return by != form::bulk || here.capability >= 90; }

    std::vector<std::int64_t> boundaries(form by) const
    {
        const std::int64_t tile = tile_of<A>(by);
        const std::int64_t group = 32 * tile;
        std::vector<std::int64_t> sizes{1, 2, 31, 33, tile - 1, tile, tile + 1, 3 * tile - 1};
        if (reduced()) {
            return sizes;
        }
        // Groups, groups asked for at once, blocks of the grid.
        for (const std::int64_t edge : {group, 4 * group, 8 * group, 2 * here.multiprocessors * tile}) {
            if (edge + tile + 1 < crossover && edge + tile + 1 <= most_of<A>(by)) {
                sizes.insert(sizes.end(), {edge - tile, edge - 1, edge, edge + 1, edge + tile + 1});
            }
        }
        if (most_of<A>(by) < crossover) {
            sizes.insert(sizes.end(), {most_of<A>(by) - 1, most_of<A>(by)});
        }
        return sizes;
    }

    unsigned long long wrong_results(form by, const scan_case& c)
    {
        const operation what = describe_operation(A{}, operator_id::user);
        scan_task task{};
        task.input = in->as<input>() + c.shift;
        task.output = c.in_place ? in->as<output>() + c.shift : out->as<output>() + c.shift;
        task.count = c.count;
        task.inclusive = c.inclusive;
        task.record = records->as<>();
        task.carry = records->as<>(256);
        task.workspace = workspace->as<>();
        std::vector<std::byte> carry(record_bytes(sizeof(accumulator)));
        if (c.with_init) {
            const output before(2, first);
            task.init.given = true;
            std::memcpy(task.init.bytes.data(), &before, sizeof before);
            write_record(carry.data(), partial<accumulator>(A{}.raise(before)));
        }
        cudaMemcpyAsync(records->as<>(256), carry.data(), carry.size(), cudaMemcpyDefault, here.stream);
        set(in->as<input>() + c.shift, c.count, element_at<input>{});
        if (!c.in_place) {
            cudaMemsetAsync(task.output, 0x77, c.count * sizeof(output), here.stream);
        }
        scan_by<A>(by, what, task, here);
        return wrong(static_cast<const output*>(task.output), c.count,
                     joined<output>{c.with_init ? 2 : first, c.inclusive ? 1 : 0});
    }

    std::unique_ptr<device_memory> in;
    std::unique_ptr<device_memory> out;
    std::unique_ptr<device_memory> workspace;
    std::unique_ptr<device_memory> records;
};

using algebras = ::testing::Types<narrow_algebra, interval_algebra>;
TYPED_TEST_SUITE(Scan, algebras);

constexpr const auto& forms = all_forms;

TYPED_TEST(Scan, JoinsIntervalsAroundEveryBoundary)
{
    for (const form by : forms) {
        for (const int limit : {0, 1, 3}) {
            this->here.max_resident_blocks = limit;
            for (const std::int64_t count : this->boundaries(by)) {
                if (!this->can(by) || (limit > 0 && count > 70 * tile_of<TypeParam>(by))) {
                    continue;
                }
                for (const auto& [inclusive, with_init] :
                     {std::pair{true, false}, {true, true}, {false, true}}) {
                    EXPECT_EQ(this->wrong_results(by, {count, inclusive, with_init}), 0U)
                        << "form " << static_cast<int>(by) << ", count " << count << ", inclusive "
                        << inclusive << ", init " << with_init << ", blocks " << limit;
                }
            }
        }
    }
}

TYPED_TEST(Scan, StartsAtAnyElement)
{
    for (const form by : forms) {
        for (int shift = 0; shift < 16 && this->can(by); ++shift) {
            EXPECT_EQ(this->wrong_results(by, {2 * tile_of<TypeParam>(by) + 3, true, false, false, shift}),
                      0U)
                << "form " << static_cast<int>(by) << ", shift " << shift;
        }
    }
}

TYPED_TEST(Scan, WorksInPlace)
{
    if constexpr (std::is_same_v<typename TypeParam::input, typename TypeParam::output>) {
        for (const form by : forms) {
            for (const std::int64_t count : this->boundaries(by)) {
                if (this->can(by)) {
                    EXPECT_EQ(this->wrong_results(by, {count, false, true, true, 1}), 0U)
                        << "form " << static_cast<int>(by) << ", count " << count;
                }
            }
        }
    } else {
        GTEST_SKIP() << "sizes of input and result differ";
    }
}

TYPED_TEST(Scan, SelectsAFormThatIsRightOnBothSidesOfTheCrossover)
{
    if (reduced()) {
        GTEST_SKIP() << "too large under a sanitizer";
    }
    for (const std::int64_t near : {-1, 0, 1}) {
        EXPECT_EQ(this->wrong_results(form::selected, {this->crossover + near}), 0U) << near;
    }
}

TYPED_TEST(Scan, LeavesThePartialOfThePiece)
{
    using accumulator = typename TypeParam::accumulator;
    for (const form by : {form::two_passes, form::onchip_in_two, form::wide_onchip_in_two}) {
        for (const std::int64_t count : this->boundaries(by)) {
            EXPECT_EQ(this->wrong_results(by, {count}), 0U);

            const auto found = this->template fetch<accumulator>(this->records->template as<>());
            ASSERT_TRUE(found.has_value()) << count;
            EXPECT_TRUE(found.value() == accumulator(first, first + count))
                << "form " << static_cast<int>(by) << ", count " << count;
        }
    }
}

TYPED_TEST(Scan, ReducesAroundEveryBoundary)
{
    using accumulator = typename TypeParam::accumulator;
    constexpr device::reduce_tuning row = device::phases<TypeParam>::reduce_tuning_row;
    const std::int64_t pass = std::int64_t{row.threads} * row.vector * row.rows;
    const operation what = describe_operation(TypeParam{}, operator_id::user);
    auto* in = this->in->template as<typename TypeParam::input>();
    this->set(in, this->crossover, element_at<typename TypeParam::input>{});
    for (const int limit : {0, 1}) {
        this->here.max_resident_blocks = limit;
        for (const std::int64_t edge :
             {std::int64_t{1}, pass, 2 * pass, row.few * pass, 2 * row.few * pass, this->crossover - 1}) {
            for (const std::int64_t count : {edge - 1, edge, edge + 1}) {
                if (count > (reduced() ? 3 * pass : this->crossover)) {
                    continue;
                }
                device::phases<TypeParam>::reduce(
                    what, {in, count, this->records->template as<>(), this->workspace->template as<>()},
                    this->here);

                const auto found = this->template fetch<accumulator>(this->records->template as<>());
                ASSERT_EQ(found.has_value(), count > 0) << count;
                EXPECT_TRUE(count == 0 || found.value() == accumulator(first, first + count)) << count;
            }
        }
    }
}

} // namespace
} // namespace rankfold::test

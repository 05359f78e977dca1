// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// BC-13: pieces that begin at any byte, with guards around the results and input that ends where its memory
// ends.
#include "device.hpp"

#include "rankfold/permitted.hpp"

namespace rankfold::test {
namespace {

using bytes_algebra = builtin_algebra<operator_id::sum, std::uint8_t, std::uint8_t>;
using widening_algebra = builtin_algebra<operator_id::sum, std::uint8_t, std::uint64_t>;

struct step {
    __device__ std::uint8_t operator()(std::int64_t i) const { return static_cast<std::uint8_t>(7 * i + 3); }
};
/// The sum of steps 0 to i, modulo 256.
struct sum_of_steps {
    __device__ std::uint8_t operator()(std::int64_t i) const
    {
        return static_cast<std::uint8_t>(7 * (i * (i + 1) / 2) + 3 * (i + 1));
    }
};
struct remainder {
    __device__ std::uint8_t operator()(std::int64_t i) const { return static_cast<std::uint8_t>(i % 5); }
};
/// The sum of remainders 0 to i, as it is.
struct sum_of_remainders {
    __device__ std::uint64_t operator()(std::int64_t i) const
    {
        const std::int64_t rest = i % 5;
        return static_cast<std::uint64_t>(i / 5 * 10 + rest * (rest + 1) / 2);
    }
};

constexpr int guard = 64;
constexpr std::uint8_t untouched = 0xA5;
constexpr const auto& forms = all_forms;

class Alignment : public gpu_test {
protected:
    void SetUp() override
    {
        gpu_test::SetUp();
        if (!IsSkipped()) {
            records = std::make_unique<device_memory>(256);
        }
    }

    [[nodiscard]] bool can(form by) const { return by != form::bulk || here.capability >= 90; }

    /// A task on a cleared workspace without anything before the piece.
    scan_task task_of(const void* in, void* out, std::int64_t count, const device_memory& workspace)
    {
        clear(*records, 256);
        scan_task task{};
        task.input = in;
        task.output = out;
        task.count = count;
        task.inclusive = true;
        task.record = records->as<>();
        task.carry = records->as<>(128);
        task.workspace = workspace.as<>();
        return task;
    }

    std::unique_ptr<device_memory> records;
};

TEST_F(Alignment, ScansFromAndToEveryByte)
{
    const operation what = describe_operation(bytes_algebra{}, operator_id::sum);
    const std::size_t space = device::phases<bytes_algebra>::workspace_bytes(1 << 20, here);
    const device_memory workspace(space);
    clear(workspace, space);
    for (const form by : forms) {
        for (const std::int64_t count : {std::int64_t{1}, std::int64_t{17}, tile_of<bytes_algebra>(by) + 5}) {
            for (int shift = 0; shift < 16 && can(by); ++shift) {
                const int out_shift = guard + (shift * 7 + 1) % 16;
                const device_memory in(shift + count);
                const device_memory out(out_shift + count + guard);
                set(in.as<std::uint8_t>(), shift + count, constant<std::uint8_t>{255});
                set(in.as<std::uint8_t>(shift), count, step{});
                set(out.as<std::uint8_t>(), out_shift + count + guard, constant<std::uint8_t>{untouched});

                scan_by<bytes_algebra>(by, what,
                                       task_of(in.as<>(shift), out.as<>(out_shift), count, workspace), here);

                EXPECT_EQ(wrong(out.as<std::uint8_t>(out_shift), count, sum_of_steps{}), 0U)
                    << "form " << static_cast<int>(by) << ", count " << count << ", shift " << shift;
                EXPECT_EQ(wrong(out.as<std::uint8_t>(), out_shift, constant<std::uint8_t>{untouched}), 0U);
                EXPECT_EQ(
                    wrong(out.as<std::uint8_t>(out_shift + count), guard, constant<std::uint8_t>{untouched}),
                    0U);
                EXPECT_EQ(wrong(in.as<std::uint8_t>(shift), count, step{}), 0U);
            }
        }
    }
}

TEST_F(Alignment, WidensFromEveryByte)
{
    const operation what = describe_operation(widening_algebra{}, operator_id::sum);
    const std::size_t space = device::phases<widening_algebra>::workspace_bytes(1 << 20, here);
    const device_memory workspace(space);
    clear(workspace, space);
    for (const form by : forms) {
        const std::int64_t count = 2 * tile_of<widening_algebra>(by) + 5;
        for (int shift = 0; shift < 16 && can(by); ++shift) {
            const device_memory in(shift + count);
            const device_memory out((count + 1) * 8);
            set(in.as<std::uint8_t>(shift), count, remainder{});
            auto* results = out.as<std::uint64_t>() + shift % 2;

            scan_by<widening_algebra>(by, what, task_of(in.as<>(shift), results, count, workspace), here);

            EXPECT_EQ(wrong(results, count, sum_of_remainders{}), 0U)
                << "form " << static_cast<int>(by) << ", shift " << shift;
        }
    }
}

TEST_F(Alignment, ReducesFromEveryByteToTheSameValue)
{
    const operation what = describe_operation(widening_algebra{}, operator_id::sum);
    const std::size_t space = device::phases<widening_algebra>::workspace_bytes(0, here);
    const device_memory workspace(space);
    clear(workspace, space);
    const std::int64_t count = 100'003;
    for (int shift = 0; shift < 16; ++shift) {
        const device_memory in(shift + count);
        set(in.as<std::uint8_t>(shift), count, remainder{});

        device::phases<widening_algebra>::reduce(
            what, {in.as<>(shift), count, records->as<>(), workspace.as<>()}, here);

        EXPECT_EQ(fetch<std::uint64_t>(records->as<>()).value(), 200'003U) << shift;
    }
}

/// 2^31 - 1, 2^31 + 1 and 2^32 + 1 elements of one byte.
class Large : public Alignment {
protected:
    void SetUp() override
    {
        Alignment::SetUp();
        std::size_t available = 0;
        std::size_t all = 0;
        if (!IsSkipped() && reduced()) {
            GTEST_SKIP() << "too large under a sanitizer";
        }
        if (!IsSkipped() &&
            (cudaMemGetInfo(&available, &all) != cudaSuccess || available < std::size_t{10} << 30)) {
            GTEST_SKIP() << "less than 10 GiB of memory are free on the GPU";
        }
    }

    static constexpr std::int64_t counts[]{(std::int64_t{1} << 31) - 1, (std::int64_t{1} << 31) + 1,
                                           (std::int64_t{1} << 32) + 1};
};

TEST_F(Large, SumsAndScans)
{
    const std::int64_t most = counts[2];
    const std::size_t space = std::max(device::phases<bytes_algebra>::workspace_bytes(most, here),
                                       device::phases<widening_algebra>::workspace_bytes(0, here));
    const device_memory workspace(space);
    clear(workspace, space);
    const device_memory in(most + 1);
    const device_memory out(most);
    set(in.as<std::uint8_t>(1), most, remainder{});
    for (const std::int64_t count : counts) {
        const operation what = describe_operation(widening_algebra{}, operator_id::sum);
        device::phases<widening_algebra>::reduce(what, {in.as<>(1), count, records->as<>(), workspace.as<>()},
                                                 here);

        const std::int64_t rest = (count - 1) % 5;
        EXPECT_EQ(fetch<std::uint64_t>(records->as<>()).value(),
                  static_cast<std::uint64_t>((count - 1) / 5 * 10 + rest * (rest + 1) / 2));
    }
    clear(workspace, space); // of another operation
    for (const form by : {form::selected, form::two_passes}) {
        const operation what = describe_operation(bytes_algebra{}, operator_id::sum);
        scan_by<bytes_algebra>(by, what, task_of(in.as<>(1), out.as<>(), most, workspace), here);

        EXPECT_EQ(wrong(out.as<std::uint8_t>(), most, sum_of_remainders{}), 0U) << static_cast<int>(by);
    }
}

TEST_F(Large, FindsTheFirstMaximum)
{
    using algebra = builtin_algebra<operator_id::max_loc, std::int8_t, located<std::int8_t>>;
    const operation what = describe_operation(algebra{}, operator_id::max_loc);
    const std::size_t space = device::phases<algebra>::workspace_bytes(0, here);
    const device_memory workspace(space);
    clear(workspace, space);
    const device_memory in(counts[2]);
    for (const std::int64_t count : counts) {
        set(in.as<std::uint8_t>(), count, remainder{});
        for (const std::int64_t place_of_maximum : {count - 1, count - 2, count / 2}) {
            set(in.as<std::uint8_t>(place_of_maximum), 1, constant<std::uint8_t>{100});

            device::phases<algebra>::reduce(what, {in.as<>(), count, records->as<>(), workspace.as<>()},
                                            here);

            const auto found = fetch<algebra::accumulator>(records->as<>()).value();
            EXPECT_EQ(found.value, 100);
            EXPECT_EQ(found.index, place_of_maximum);
        }
    }
}

} // namespace
} // namespace rankfold::test

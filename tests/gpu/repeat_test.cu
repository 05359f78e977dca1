// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same bits every time: on a used workspace, in a replayed graph, from any address, on one block, beside
// a kernel that holds all SMs but one, ten thousand times in a row (BC-56).
#include "held_multiprocessors.hpp"
#include "pieces_test.hpp"

namespace rankfold::test {
namespace {

using algebra = builtin_algebra<operator_id::sum, float, float>;
using phases = device::phases<algebra>;

/// Floats of all magnitudes whose sum depends on the order.
struct noise {
    __device__ float operator()(std::int64_t i) const
    {
        auto x = static_cast<std::uint32_t>(i) * 2654435761U;
        x ^= x >> 15;
        x *= 2246822519U;
        return static_cast<float>(static_cast<std::int32_t>(x)) * (x % 3 == 0 ? 1e-6F : 1.0F);
    }
};

class Repeat : public gpu_test {
protected:
    void SetUp() override
    {
        gpu_test::SetUp();
        if (!IsSkipped()) {
            count = reduced() ? 30'001 : 1'500'001;
            in = std::make_unique<device_memory>(count * 4);
            out = std::make_unique<device_memory>(count * 4);
            right = std::make_unique<device_memory>(count * 4);
            space = std::make_unique<room<algebra>>(count, here);
            set(in->as<float>(), count, noise{});
        }
    }

    void scan(form by, const device_memory& to) { scan_some(by, to, count); }
    void scan_some(form by, const device_memory& to, std::int64_t elements)
    {
        scan_by<algebra>(by, what, space->scan(in->as<>(), to.as<>(), elements), here);
    }
    void reduce() { phases::reduce(what, space->reduce(in->as<>(), count), here); }
    /// As after so many calls.
    void set_epoch(std::uint32_t epoch)
    {
        const phases::space parts(space->workspace.as<>());
        set(&parts.control()->entry, 1, constant<std::uint64_t>{std::uint64_t{epoch} << 32});
    }
    float reduced_value()
    {
        reduce();
        return fetch<float>(space->record()).value();
    }
    /// Counts bits that differ from the first scan's, in stream order.
    void count_different()
    {
        count_wrong(out->as<std::uint32_t>(), count, element_of<std::uint32_t>{right->as<std::uint32_t>()});
    }
    unsigned long long different()
    {
        count_different();
        return take_wrong();
    }

    const operation what = describe_operation(algebra{}, operator_id::sum);
    std::int64_t count = 0;
    std::unique_ptr<device_memory> in;
    std::unique_ptr<device_memory> out;
    std::unique_ptr<device_memory> right;
    std::unique_ptr<room<algebra>> space;
};

TEST_F(Repeat, ScansToTheSameBitsOnAUsedWorkspace)
{
    for (const form by : forms_on(capability)) {
        scan(by, *right);
        for (int i = 0; i < repeats(1000); ++i) {     // back to back, and compared in stream order
            scan_some(by, *out, count / (2 + i % 5)); // leaves words of another length behind
            scan(by, *out);
            count_different();
        }
        EXPECT_EQ(take_wrong(), 0U) << "form " << static_cast<int>(by);
    }
}

TEST_F(Repeat, ScansToTheSameBitsFromEveryAddress)
{
    const device_memory moved((count + 3) * 4);
    for (const form by : forms_on(capability)) {
        scan(by, *right);
        for (int shift = 1; shift < 4; ++shift) {
            set(moved.as<float>() + shift, count, noise{});
            scan_by<algebra>(by, what, space->scan(moved.as<float>() + shift, out->as<>(), count), here);
            EXPECT_EQ(different(), 0U) << "form " << static_cast<int>(by) << ", from " << shift;
        }
    }
}

TEST_F(Repeat, ReducesToTheSameBits)
{
    const float first = reduced_value();
    for (int i = 0; i < repeats(1000); ++i) {
        here.max_resident_blocks = i % 7;
        ASSERT_EQ(reduced_value(), first) << i;
    }
}

TEST_F(Repeat, ScansToTheSameBitsOnFewBlocks)
{
    for (const form by : forms_on(capability)) {
        scan(by, *right);
        for (const int limit : {1, 2, 7}) {
            here.max_resident_blocks = limit;
            scan(by, *out);
            EXPECT_EQ(different(), 0U) << "form " << static_cast<int>(by) << ", blocks " << limit;
        }
        here.max_resident_blocks = 0;
    }
}

/// A word that call number `epoch` stamped, of a fold that is not a number.
struct stale_word {
    std::uint32_t epoch;
    __device__ std::uint64_t operator()(std::int64_t /*word*/) const
    {
        return std::uint64_t{epoch} << 32 | 0x7fc00000;
    }
};

TEST_F(Repeat, TakesNoFoldOfAnEarlierCall)
{
    const phases::space parts(space->workspace.as<>());
    std::uint64_t* const table = parts.table().words;
    const std::int64_t words = space->workspace.as<std::uint64_t>(space->workspace_bytes) - table;
    for (const form by : forms_on(capability)) {
        const auto leave_stale_words = [&] {
            set(parts.partials(), parts.posts() - parts.partials(), stale_word{1});
            if (by == form::registers || by == form::bulk) {
                set(table, words, stale_word{1}); // the others stamp no words of tiles
            }
        };
        clear(space->workspace, space->workspace_bytes);
        scan(by, *right);

        leave_stale_words();
        scan(by, *out);
        EXPECT_EQ(different(), 0U) << "form " << static_cast<int>(by) << ", words of the call before";

        set_epoch(~std::uint32_t{0} - 1);
        leave_stale_words();
        scan_some(by, *out, count / 2); // the last epoch
        scan(by, *out);
        EXPECT_EQ(different(), 0U) << "form " << static_cast<int>(by) << ", words of a whole round ago";
    }
}

TEST_F(Repeat, TakesNoPartialOfAnEarlierReduction)
{
    const phases::space parts(space->workspace.as<>());
    const float first = reduced_value();

    set_epoch(~std::uint32_t{0} - 1);
    set(parts.partials(), parts.posts() - parts.partials(), stale_word{1});
    reduce(); // the last epoch

    EXPECT_EQ(reduced_value(), first);
}

TEST_F(Repeat, GivesTheSameBitsBetweenCallsOfOtherFormsThroughTheWrap)
{
    const std::vector<form> forms = forms_on(capability);
    const float first = reduced_value();
    for (const form by : forms) {
        scan(by, *right);
        set_epoch(~std::uint32_t{0} - static_cast<std::uint32_t>(repeats(300)));
        for (int i = 0; i < repeats(300); ++i) {
            scan_some(forms[static_cast<std::size_t>(i) % forms.size()], *out, count / (1 + i % 9));
            reduce();
            scan(by, *out);
            count_different();
        }
        EXPECT_EQ(take_wrong(), 0U) << "form " << static_cast<int>(by);
        EXPECT_EQ(reduced_value(), first) << "form " << static_cast<int>(by);
    }
}

TEST_F(Repeat, ReplaysAGraph)
{
    const float first = reduced_value();
    for (const form by : forms_on(capability)) {
        scan(by, *right);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t replay = nullptr;
        ASSERT_EQ(cudaStreamBeginCapture(here.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        scan(by, *out);
        reduce();
        ASSERT_EQ(cudaStreamEndCapture(here.stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);

        for (int i = 0; i < repeats(1000); ++i) {
            cudaMemsetAsync(out->as<>(), 0x77, count * 4, here.stream);
            ASSERT_EQ(cudaGraphLaunch(replay, here.stream), cudaSuccess);
            count_different();
        }
        EXPECT_EQ(take_wrong(), 0U) << "form " << static_cast<int>(by);
        EXPECT_EQ(fetch<float>(space->record()).value(), first);
        cudaGraphExecDestroy(replay);
        cudaGraphDestroy(graph);
    }
}

/// Scans back to back, whose flags and values a GPU may see in another order than they were written (BC-56).
class BackToBack : public gpu_test {
protected:
    template <class T>
    void expect_right()
    {
        using piece_type = sum_piece<T>;
        using sums = device::phases<typename piece_type::algebra>;
        constexpr std::int64_t count = 100'003;
        const piece_type piece{{.scale = 1, .offset = 1}};
        const operation what = describe_operation(typename piece_type::algebra{}, operator_id::sum);
        const room<typename piece_type::algebra> space(count, here);
        const device_memory in(count * sizeof(T));
        const device_memory out(count * sizeof(T));
        set(in.as<T>(), count, elements_of<piece_type>{piece});
        for (const bool bulk : {false, capability >= 90}) {
            for (int i = 0; i < repeats(10'000); ++i) {
                clear(out, count * sizeof(T));
                (bulk ? sums::launch_bulk_scan
                      : sums::launch_lookback_scan)(what, space.scan(in.as<>(), out.as<>(), count), here);
                count_wrong(out.as<T>(), count, results_of<piece_type>{piece, true, false});
            }
            EXPECT_EQ(take_wrong(), 0U) << (bulk ? "in bulk" : "in registers");
        }
    }
};

TEST_F(BackToBack, ScanIntegers)
{
    expect_right<std::int64_t>();
}

TEST_F(BackToBack, ScanFloatingNumbers)
{
    expect_right<double>();
}

TEST_F(Repeat, FinishesOnTheOneFreeMultiprocessor)
{
    if (reduced()) {
        GTEST_SKIP() << "under a sanitizer kernels run one after another";
    }
    here.max_resident_blocks = 2 * here.multiprocessors; // no cooperative launch, which would wait for room
    held_multiprocessors others(here);
    for (const form by : forms_on(capability)) {
        scan(by, *right);
        scan(by, *out);
        ASSERT_EQ(different(), 0U); // and every kernel is loaded
        const float first = reduced_value();
        others.start();

        scan(by, *out);
        const auto found = different();
        const float second = reduced_value();
        const bool beside = others.stop();

        EXPECT_EQ(found, 0U) << "form " << static_cast<int>(by);
        EXPECT_EQ(second, first);
        EXPECT_TRUE(beside) << "form " << static_cast<int>(by) << " waited for the other kernel to end";
    }
}

TEST_F(Repeat, WritesNothingAfterAFailure)
{
    const device_memory failure(sizeof(failure_word));
    const failure_word failed{.code = 3, .call = 1};
    cudaMemcpyAsync(failure.as<>(), &failed, sizeof failed, cudaMemcpyDefault, here.stream);
    set(out->as<std::uint32_t>(), count, constant<std::uint32_t>{0x77777777});
    here.failure.word = failure.as<failure_word>();
    for (const form by : forms_on(capability)) {
        scan(by, *out);
        EXPECT_EQ(wrong(out->as<std::uint32_t>(), count, constant<std::uint32_t>{0x77777777}), 0U)
            << "form " << static_cast<int>(by);
    }
}

} // namespace
} // namespace rankfold::test

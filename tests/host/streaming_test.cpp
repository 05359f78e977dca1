// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks whose results go past the cache, blocks at the end of mapped memory, and pieces past 2^31 elements.
#include "host_backend/builtin.hpp"
#include "runner.hpp"
#include "support/oracle.hpp"
#include "support/repeated_memory.hpp"
#include "table.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>

namespace rankfold::test {
namespace {

template <class T>
using sum_of = algebra<operator_id::sum, T, T, T>;

/// Small whole numbers: every sum is exact, in whatever order.
template <class T>
std::vector<T> small_numbers(std::int64_t count)
{
    std::vector<T> x;
    for (std::int64_t i = 0; i < count; ++i) {
        x.push_back(static_cast<T>(i * 7 % 11 - 5));
    }
    return x;
}

/// Results at a multiple of 64 bytes, where the library may write them with wide stores.
template <class T>
struct aligned {
    explicit aligned(std::size_t count) : room(count + 64 / sizeof(T)), size(count) {}
    [[nodiscard]] T* data()
    {
        void* p = room.data();
        std::size_t space = room.size() * sizeof(T);
        return static_cast<T*>(std::align(64, size * sizeof(T), p, space));
    }
    std::vector<T> room;
    std::size_t size;
};

template <class T>
void expect_sums_past_the_cache(std::int64_t count, bool inclusive, std::optional<T> before)
{
    SCOPED_TRACE(testing::Message() << count << (inclusive ? " inclusive" : " exclusive")
                                    << (before ? " with a carry" : " without"));
    const std::vector<T> x = small_numbers<T>(count);
    const std::vector<T> expected = oracle::scan(sum_of<T>{}, std::span(x), inclusive, before);
    aligned<T> y(x.size());
    const partial<T> carry = before ? partial<T>(*before) : partial<T>();

    host::scan_block(sum_of<T>{}, x.data(), y.data(), 0, count, carry, {inclusive, true});

    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(y.data()[i], expected[i]) << i;
    }
}

template <class T>
void expect_sums_past_the_cache()
{
    constexpr std::int64_t tile = host::tile_elements<T>;
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{15}, tile, 3 * tile + 5}) {
        for (const bool inclusive : {true, false}) {
            expect_sums_past_the_cache<T>(count, inclusive, {});
            expect_sums_past_the_cache<T>(count, inclusive, T{1000});
        }
    }
}

TEST(PastTheCache, SumsAreThoseOfTheOracle)
{
    expect_sums_past_the_cache<float>();
    expect_sums_past_the_cache<double>();
    expect_sums_past_the_cache<std::int32_t>();
}

/// Elements that end where memory does.
template <class T>
class last_of_memory {
public:
    explicit last_of_memory(std::int64_t count)
    {
        void* const all = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(all, MAP_FAILED);
        begin_ = static_cast<std::byte*>(all);
        EXPECT_EQ(mprotect(begin_ + page, page, PROT_NONE), 0);
        data_ = reinterpret_cast<T*>(begin_ + page) - count;
    }
    ~last_of_memory() { munmap(begin_, 2 * page); }
    last_of_memory(const last_of_memory&) = delete;
    last_of_memory& operator=(const last_of_memory&) = delete;
    [[nodiscard]] T* data() const { return data_; }

private:
    static constexpr std::size_t page = 64 << 10; // of any machine
    std::byte* begin_ = nullptr;
    T* data_ = nullptr;
};

template <operator_id Id, class T>
void expect_nothing_touched_behind()
{
    using A = algebra<Id, T, T, T>;
    for (std::int64_t count = 1; count <= 40; ++count) {
        SCOPED_TRACE(testing::Message()
                     << "operator " << static_cast<int>(Id) << " of " << sizeof(T) << " bytes, " << count);
        const std::vector<T> numbers = small_numbers<T>(count);
        const last_of_memory<T> x(count);
        const last_of_memory<T> y(count);
        std::copy(numbers.begin(), numbers.end(), x.data());

        const T total = host::reduce_block(A{}, x.data(), 0, count);
        host::scan_block(A{}, x.data(), y.data(), 0, count, partial<T>(), {true, false});

        const std::vector<T> expected = oracle::scan(A{}, std::span(numbers), true);
        EXPECT_EQ(total, expected.back());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), y.data()));
    }
}

TEST(EndOfMemory, NothingBehindABlockIsTouched)
{
    expect_nothing_touched_behind<operator_id::sum, float>();
    expect_nothing_touched_behind<operator_id::sum, double>();
    expect_nothing_touched_behind<operator_id::max, float>();
    expect_nothing_touched_behind<operator_id::sum, std::int32_t>();
}

// The first pass of a scan on several ranks is over the whole piece: blocks past 2^31 are its own.
TEST(FirstPass, CountsPiecesPast32Bits)
{
    const std::int64_t count = (std::int64_t{1} << 31) + 3 * host::block_elements<std::int8_t> + 1;
    const repeated_memory<std::int8_t> x(count, 1);
    x.data()[0] = 100;        // seen once, by the first block
    x.data()[count - 1] = 50; // and by the last
    const operation op = *host::find_operation(operator_id::sum, element_type::int8, element_type::int64);
    auto workspace = make_workspace(op, count, 2);
    records all(op, 1);
    scan_task task{};
    task.input = x.data();
    task.count = count;
    task.record = all.of(0);
    task.workspace = workspace.data();

    op.host.tile_reduce(op, task, {.threads = 2});

    EXPECT_EQ(read_record<std::int64_t>(all.of(0)).value(), count + 99 + 49);
}

} // namespace
} // namespace rankfold::test

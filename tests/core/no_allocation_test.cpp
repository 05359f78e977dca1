// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plans allocate; execute does not. Every operator new of this program counts.
#include "support/backend_data.hpp"
#include "support/distributed.hpp"

#include "rankfold/rankfold.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {

thread_local long allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment)
{
    ++allocations;
    void* memory = alignment > 0
                       ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                       : std::malloc(bytes > 0 ? bytes : 1);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

} // namespace

void* operator new(std::size_t bytes)
{
    return counted(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

namespace rankfold::test {
namespace {

/// Allocations of a call that was made before, so that what others do once is done.
template <class Call>
long allocations_of(const Call& call)
{
    call();
    call();
    const long before = allocations;
    call();
    return allocations - before;
}

TEST(Execute, AllocatesNothing)
{
    communicator comm(MPI_COMM_WORLD);
    const std::vector<double> values(5000, 1.0);
    const array<double> in = to_backend(comm, values);
    array<double> out(comm, 5000);
    array<double> total(comm, 3);
    const execution where = on_stream(comm, "a label longer than what a string keeps within itself");
    reduce_plan<double> mass(comm, sum);
    reduce_plan<double> three(comm, max, {.results = 3});
    scan_plan<double> offsets(comm, exclusive, sum, {.max_count = 5000});
    exscan_plan<double> prefix(comm, sum, {.values = 2});
    const std::span<const double> piece(in.data(), 5000);
    const std::span<const double> pieces[] = {piece, piece.first(7), piece.first(0)};

    EXPECT_EQ(allocations_of([&] { mass.execute(in.data(), 5000, total.data(), where); }), 0);
    EXPECT_EQ(allocations_of([&] { three.execute(pieces, total.data(), where); }), 0);
    EXPECT_EQ(allocations_of([&] { offsets.execute(in.data(), out.data(), 5000, where); }), 0);
    EXPECT_EQ(allocations_of([&] { prefix.execute(in.data(), out.data(), where); }), 0);
    finish(comm);
}

TEST(Execute, AllocatesWhereTheTestWouldSeeIt)
{
    EXPECT_GT(allocations_of([] { delete new int(1); }), 0);
}

} // namespace
} // namespace rankfold::test

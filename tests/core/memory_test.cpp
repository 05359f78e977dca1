// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contract 8: any start address that suits the type, nothing written outside the output, nothing read outside
// the input.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/compiled.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

namespace rankfold::test {
namespace {

/// BC-13: 64 guard elements of poison on either side, the piece `shift` elements further.
template <class T>
class Guarded {
public:
    Guarded(const communicator& comm, std::int64_t count, std::int64_t shift, T value)
        : values_(static_cast<std::size_t>(count + shift + 2 * guards), poison()), begin_(guards + shift),
          count_(count), memory_(comm, static_cast<std::int64_t>(values_.size()))
    {
        std::fill_n(values_.begin() + begin_, count, value);
        memory_.assign(values_);
    }
    T* piece() { return memory_.data() + begin_; }

    std::vector<T> read(communicator& comm) const
    {
        const std::vector<T> now = to_host(comm, memory_);
        return {now.begin() + begin_, now.begin() + begin_ + count_};
    }
    bool guards_stand(communicator& comm) const
    {
        std::vector<T> now = to_host(comm, memory_);
        std::copy_n(values_.begin() + begin_, count_, now.begin() + begin_);
        return static_cast<bool>(same_elements(now, values_));
    }

private:
    static constexpr std::int64_t guards = 64;
    static T poison()
    {
        return std::is_integral_v<T> ? static_cast<T>(127)
                                     : static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    }

    std::vector<T> values_;
    std::int64_t begin_;
    std::int64_t count_;
    array<T> memory_;
};

/// The widest result that a sum of T may have.
template <class T>
struct widest {
    using type = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
};
template <class T>
requires rankfold::detail::is_half<T>
struct widest<T> {
    using type = float;
};
template <class T>
struct widest<std::complex<T>> {
    using type = std::complex<double>;
};

/// A whole number in T: rounded where it has too many digits, wrapped where it is too large.
template <class T>
T whole(std::int64_t value)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(value);
    } else {
        return static_cast<T>(static_cast<float>(value)); // all below 2^24
    }
}

template <class T>
class Guards : public testing::Test {
};
using guarded_types = testing::Types<std::int8_t, std::int16_t, std::int32_t, float16, bfloat16, float,
                                     double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Guards, guarded_types);

TYPED_TEST(Guards, StandAtEveryStartOffset)
{
    using sum_type = typename widest<TypeParam>::type;
    communicator comm(MPI_COMM_WORLD);
    RANKFOLD_NEEDS_COMPILED(comm, sum, TypeParam, sum_type);
    RANKFOLD_NEEDS_COMPILED(comm, sum, TypeParam, TypeParam);
    const std::vector<std::int64_t> counts{1, 3, 31, 32, 33, 255, 4097};
    reduce_plan<TypeParam, sum_type> reduction(comm, sum);
    scan_plan<TypeParam> scan(comm, inclusive, sum, {.max_count = counts.back()});

    for (std::int64_t shift = 0; shift < 16; ++shift) {
        for (const std::int64_t count : counts) {
            Guarded<TypeParam> in(comm, count, shift, whole<TypeParam>(1));
            Guarded<TypeParam> out(comm, count, (shift * 5 + world_rank()) % 16, whole<TypeParam>(0));
            array<sum_type> total(comm, 1);
            reduction.execute(in.piece(), count, total.data(), on_stream(comm));
            scan.execute(in.piece(), out.piece(), count, on_stream(comm));

            std::vector<TypeParam> expected;
            for (std::int64_t i = 0; i < count; ++i) {
                expected.push_back(whole<TypeParam>(world_rank() * count + i + 1));
            }
            EXPECT_EQ(first_of(comm, total), whole<sum_type>(count * world_size()));
            EXPECT_TRUE(same_elements(out.read(comm), expected)) << "shift " << shift << ", count " << count;
            EXPECT_TRUE(in.guards_stand(comm) && out.guards_stand(comm))
                << "shift " << shift << ", count " << count;
        }
    }
}

// BC-15, BC-17: small counts, each piece in an allocation of exactly its size.
TEST(SmallPieces, OfEveryCountAreReadAndWrittenExactly)
{
    communicator comm(MPI_COMM_WORLD);
    reduce_plan<float> reduction(comm, sum);
    scan_plan<float> scan(comm, exclusive, sum, {.max_count = 67});

    for (std::int64_t count = 1; count <= 67; ++count) {
        const array<float> in = to_backend(comm, std::vector<float>(static_cast<std::size_t>(count), 2.0F));
        array<float> out(comm, count);
        array<float> total(comm, 1);
        reduction.execute(in.data(), count, total.data(), on_stream(comm));
        scan.execute(in.data(), out.data(), count, on_stream(comm));

        EXPECT_EQ(first_of(comm, total), 2.0F * static_cast<float>(count * world_size()));
        EXPECT_EQ(to_host(comm, out).back(), 2.0F * static_cast<float>(count * (world_rank() + 1) - 1));
    }
}

// BC-16: what C and Fortran may pass.
TEST(Complex, OfTwoDoublesNeedsTheAlignmentOfOne)
{
    communicator comm(MPI_COMM_WORLD);
    const std::int64_t count = 1001;
    array<double> memory = to_backend(comm, std::vector<double>(2 * count + 1, 1.0));
    auto* data = reinterpret_cast<std::complex<double>*>(memory.data() + 1);
    scan_plan<std::complex<double>> scan(comm, inclusive, sum, {.max_count = count});

    scan.execute(data, data, count, on_stream(comm));

    const auto now = to_host(comm, memory);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto expected = static_cast<double>(world_rank() * count + i + 1);
        ASSERT_EQ(now[static_cast<std::size_t>(2 * i + 1)], expected);
        ASSERT_EQ(now[static_cast<std::size_t>(2 * i + 2)], expected);
    }
}

// BC-51
TEST(Input, StaysAsItIs)
{
    communicator comm(MPI_COMM_WORLD);
    const std::vector<float> ones(41000, 1.0F);
    const array<float> in = to_backend(comm, ones);
    array<float> out(comm, 41000);
    scan_plan<float> scan(comm, inclusive, sum, {.max_count = 41000});
    reduce_plan<float> reduction(comm, sum);

    scan.execute(in.data(), out.data(), 41000, on_stream(comm));
    reduction.execute(in.data(), 41000, out.data(), on_stream(comm));

    EXPECT_TRUE(same_elements(to_host(comm, in), ones));
}

TEST(Workspace, IsSmallAgainstTheInput)
{
    communicator comm(MPI_COMM_WORLD);
    const std::int64_t count = 1LL << 33;

    const scan_plan<std::int8_t, std::int64_t> scan(comm, inclusive, sum, {.max_count = count});
    const reduce_plan<std::int8_t, std::int64_t> reduction(comm, sum, {.max_count = count});

    EXPECT_LT(scan.workspace_bytes(), static_cast<std::size_t>(count) / 100 + (1 << 20));
    EXPECT_LT(reduction.workspace_bytes(), static_cast<std::size_t>(count) / 100 + (1 << 20));
}

} // namespace
} // namespace rankfold::test

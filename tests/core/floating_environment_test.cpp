// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the caller's thread rounds, and whether it flushes small numbers to zero, changes no bit of a result,
// whatever the number of threads; and a call leaves that as it was.
#include "rankfold/host/operation.hpp"
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <cfenv>
#include <limits>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace rankfold::test {
namespace {

constexpr int items = 100'000;

/// What a program may have set its thread to.
struct habit {
    const char* name;
    int rounding;
    bool flushes; ///< to zero, and takes small numbers for zero
};

constexpr unsigned flush_bits = 0x8040; // FTZ and DAZ of MXCSR

void adopt(const habit& wanted)
{
    std::fesetround(wanted.rounding);
#if defined(__x86_64__)
    _mm_setcsr((_mm_getcsr() & ~flush_bits) | (wanted.flushes ? flush_bits : 0));
#endif
}

constexpr habit usual{"usual", FE_TONEAREST, false};

/// Sets the calling thread, and the threads that OpenMP keeps for it, to a habit for a scope.
class threads_with {
public:
    explicit threads_with(const habit& wanted) { adopt_all(wanted); }
    ~threads_with() { adopt_all(usual); }
    threads_with(const threads_with&) = delete;
    threads_with& operator=(const threads_with&) = delete;

private:
    static void adopt_all(const habit& wanted)
    {
#pragma omp parallel num_threads(4)
        adopt(wanted);
    }
};

bool flushes_now()
{
#if defined(__x86_64__)
    return (_mm_getcsr() & flush_bits) == flush_bits;
#else
    return false;
#endif
}

/// Different operations on doubles and floats, long double by a user's operator.
struct results {
    double smallest_sum = 0;
    double thirds = 0;
    float narrow = 0;
    double prefix = 0;
    std::vector<double> prefixes;
    long double wide = 0;
};

struct wide {
    long double value;
};

struct wide_sum {
    using input = wide;
    using accumulator = wide;
    using output = wide;
    static constexpr bool commutative = true;
    static constexpr bool has_identity = false;
    wide lift(wide x, std::int64_t /*index*/) const { return x; }
    wide combine(wide l, wide r) const { return {l.value + r.value}; }
    wide seal(wide a, std::int64_t /*count*/) const { return a; }
    wide lower(wide a) const { return a; }
    wide raise(wide r) const { return r; }
};

/// Made in the usual environment.
struct inputs {
    std::vector<double> smallest = std::vector(items, std::numeric_limits<double>::denorm_min());
    std::vector<double> thirds = std::vector<double>(items);
    std::vector<float> narrow = std::vector(items, 1e-40F);
    std::vector<wide> wides = std::vector(items, wide{1.0L / 3});

    inputs()
    {
        for (std::size_t i = 0; i < thirds.size(); ++i) {
            thirds[i] = 1.0 / (3.0 + static_cast<double>(i % 1001));
        }
    }
};

results compute(communicator& comm, const inputs& in)
{
    results r;
    r.prefixes.resize(items);
    wide total{};
    r.smallest_sum = all_reduce<double>(comm, sum, std::span(in.smallest));
    r.thirds = all_reduce<double>(comm, sum, std::span(in.thirds));
    r.narrow = all_reduce<float>(comm, sum, std::span(in.narrow));
    inclusive_scan(comm, sum, std::span(in.thirds), std::span(r.prefixes));
    r.prefix = exscan<double>(comm, sum, in.thirds[0]);
    reduce_plan<wide>(comm, host::make_operation(wide_sum{})).execute(in.wides.data(), items, &total);
    r.wide = total.value;
    return r;
}

class FloatingEnvironment : public testing::TestWithParam<habit> {};

TEST_P(FloatingEnvironment, OfTheCallerChangesNoBit)
{
    const inputs in;
    for (const char* threads : {"4", "2", "1"}) {
        const scoped_environment team("OMP_NUM_THREADS", threads);
        communicator comm(MPI_COMM_WORLD, {.backend = backend::host});
        results odd;
        bool kept = false;

        {
            const threads_with odd_habit(GetParam());
            odd = compute(comm, in);
            kept = std::fegetround() == GetParam().rounding && flushes_now() == GetParam().flushes;
        }

        EXPECT_TRUE(kept);
        EXPECT_EQ(odd.smallest_sum,
                  std::numeric_limits<double>::denorm_min() * (static_cast<double>(items) * world_size()));
        const results plain = compute(comm, in);
        EXPECT_TRUE(same_bits(odd.thirds, plain.thirds)) << threads;
        EXPECT_TRUE(same_bits(odd.narrow, plain.narrow)) << threads;
        EXPECT_TRUE(same_bits(odd.prefix, plain.prefix)) << threads;
        EXPECT_TRUE(same_elements(odd.prefixes, plain.prefixes)) << threads;
        EXPECT_EQ(odd.wide, plain.wide) << threads;
    }
}

TEST_P(FloatingEnvironment, OfTheCallerIsLeftAsItWasByACallThatFails)
{
    const communicator comm(MPI_COMM_WORLD, {.backend = backend::host});
    const std::vector<double> in(3);
    std::vector<double> out(2); // one too few

    const threads_with odd_habit(GetParam());
    EXPECT_TRUE(fails_with(errc::usage, {"out has 2"},
                           [&] { inclusive_scan(comm, sum, std::span<const double>(in), std::span(out)); }));

    EXPECT_EQ(std::fegetround(), GetParam().rounding);
    EXPECT_EQ(flushes_now(), GetParam().flushes);
}

INSTANTIATE_TEST_SUITE_P(Habits, FloatingEnvironment,
                         testing::Values(habit{"up", FE_UPWARD, false}, habit{"down", FE_DOWNWARD, false},
                                         habit{"towards_zero", FE_TOWARDZERO, false}
#if defined(__x86_64__)
                                         ,
                                         habit{"flush", FE_TONEAREST, true},
                                         habit{"flush_and_up", FE_UPWARD, true}
#endif
                                         ),
                         [](const auto& of) { return std::string(of.param.name); });

} // namespace
} // namespace rankfold::test

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The executor on small kernels that are right: no complaint, right results, under every kind of schedule.
#include "protocols/lookback.hpp"
#include "protocols/pipeline.hpp"
#include "protocols/ticket_reduce.hpp"
#include "protocols/trials.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {
namespace {

using namespace executor;
using namespace protocols;

TEST(TicketReduce, IsInOrderAndResetsItsTicket)
{
    expect_right(1500, [](const schedule& how) { return reduce_trial<ticket_reduce<>>(how); });
}

TEST(Lookback, IsInOrderAndReusesItsWorkspace)
{
    expect_right(800, [](const schedule& how) { return lookback_trial<lookback<>>(how); });
}

TEST(Pipeline, SumsWhatHasLanded)
{
    expect_right(800, [](const schedule& how) { return pipeline_trial<pipeline<>>(how); });
}

struct waits_for_nobody {
    struct arguments {
        const std::uint32_t* word;
    };
    struct storage {};
    static constexpr int threads = 8;
    static void run(block& self, const arguments& args, storage& /*shared*/)
    {
        if (self.index() == 1) {
            spin_until([&] { return load_relaxed<scope::device>(args.word) != 0; });
        }
        self.sync();
    }
};

TEST(Executor, ReportsAHangWithTheStateOfEveryBlock)
{
    expect_right(50, [](const schedule& how) -> std::string {
        const std::uint32_t word = 0;
        machine m(how);
        if (!m.launch<waits_for_nobody>({.blocks = 3, .threads = 8}, {&word})) {
            return "refused\n";
        }

        const outcome result = m.run();

        const bool told =
            result.text.find("block 1:") != std::string::npos &&
            result.text.find("threads 0 1 2 3 4 5 6 7: polls, load_relaxed at executor_test.cpp") !=
                std::string::npos;
        return result.kind == fault::hang && told ? "" : "no hang was reported: " + result.text + "\n";
    });
}

TEST(Executor, RefusesACooperativeLaunchThatDoesNotFit)
{
    const std::uint32_t word = 1;
    machine m({.seed = 1, .resident_blocks = 2});

    EXPECT_FALSE(m.launch<waits_for_nobody>({.blocks = 3, .threads = 8, .cooperative = true}, {&word}));
    EXPECT_TRUE(m.launch<waits_for_nobody>({.blocks = 2, .threads = 8, .cooperative = true}, {&word}));
    EXPECT_TRUE(m.run().ok());
}

struct gives_up {
    struct arguments {
        const std::uint32_t* word;
        std::uint32_t* gave_up;
        std::uint64_t patience_ns;
    };
    struct storage {};
    static constexpr int threads = 4;
    static void run(block& self, const arguments& args, storage& /*shared*/)
    {
        if (self.lane() == 0) {
            const std::uint64_t begin = clock_ns();
            const bool there = spin_until([&] { return load_relaxed<scope::system>(args.word) != 0; },
                                          [&] { return clock_ns() - begin > args.patience_ns; });
            store_relaxed<scope::device>(args.gave_up, there ? 0 : 1);
        }
    }
};

TEST(Executor, LetsDeadlinesPassWithoutWaitingForThem)
{
    expect_right(50, [](const schedule& how) -> std::string {
        const std::uint32_t word = 0;
        std::uint32_t gave_up = 7;
        machine m(how);
        if (!m.launch<gives_up>({.blocks = 1, .threads = 4}, {&word, &gave_up, 600'000'000'000})) {
            return "refused\n";
        }

        const outcome result = m.run();

        return result.ok() && gave_up == 1 ? "" : result.text + "no deadline passed\n";
    });
}

#if defined(__SANITIZE_ADDRESS__)
struct reaches_too_far {
    struct arguments {
        int offset;
    };
    struct storage {
        char bytes[40];
    };
    static constexpr int threads = 4;
    static void run(block& self, const arguments& args, storage& shared)
    {
        self.sync();
        (&shared.bytes[0])[args.offset + self.thread()] = 1;
        self.sync();
    }
};

TEST(Executor, LetsASanitizerSeeFibresAndSharedMemory)
{
    const auto run_to = [](int offset) {
        machine m(schedule::from_seed(3));
        return m.launch<reaches_too_far>({.blocks = 2, .threads = 4}, {offset}) && m.run().ok();
    };

    EXPECT_TRUE(run_to(36));
    EXPECT_DEATH(run_to(38), "AddressSanitizer: use-after-poison");
}
#endif

TEST(Executor, RepeatsASeedExactly)
{
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        const schedule how = schedule::from_seed(seed);

        const std::uint64_t once = lookback_steps(how);
        const std::uint64_t again = lookback_steps(how);

        EXPECT_EQ(once, again) << how.describe();
    }
}

} // namespace
} // namespace rankfold::simt

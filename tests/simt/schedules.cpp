// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedules.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace rankfold::simt::executor {
namespace {

std::uint64_t running_seed = 0;
std::uint64_t schedules_run = 0;

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string test_name()
{
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "." + test->name();
}

/// A different stretch of seeds for every test, the same in every run.
std::uint64_t first_seed()
{
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const char c : test_name()) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    }
    return hash % 1'000'000 * 1'000'000 + 1;
}

std::string how_to_rerun(std::uint64_t seed)
{
    return "rerun: RANKFOLD_SIMT_SEED=" + std::to_string(seed) +
           " <this program> --gtest_filter=" + test_name();
}

/// A sanitizer ends the program: the seed has to be told before.
void tell_seed()
{
    std::fprintf(stderr, "simt: %s\n", how_to_rerun(running_seed).c_str());
}

std::string run_one(std::uint64_t seed, const trial& run)
{
    running_seed = seed;
    ++schedules_run;
    return run(schedule::from_seed(seed));
}

int wanted(int count)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    count = count / 10 < 8 ? 8 : count / 10;
#endif
    const std::string asked = environment("RANKFOLD_SIMT_SCHEDULES");
    return asked.empty() ? count : std::atoi(asked.c_str());
}

class total_printer : public testing::EmptyTestEventListener {
    void OnTestProgramEnd(const testing::UnitTest&) override
    {
        std::printf("simt: %llu schedules\n", static_cast<unsigned long long>(schedules_run));
    }
};

[[maybe_unused]] const bool listening = [] {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(&tell_seed);
#else
    static_cast<void>(&tell_seed);
#endif
    testing::UnitTest::GetInstance()->listeners().Append(new total_printer);
    return true;
}();

} // namespace

void expect_right(int count, const trial& run)
{
    const std::string only = environment("RANKFOLD_SIMT_SEED");
    const std::uint64_t first = only.empty() ? first_seed() : std::strtoull(only.c_str(), nullptr, 10);
    const int seeds = only.empty() ? wanted(count) : 1;
    for (int i = 0; i < seeds; ++i) {
        const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
        const std::string wrong = run_one(seed, run);
        if (!wrong.empty()) {
            ADD_FAILURE() << schedule::from_seed(seed).describe() << ":\n" << wrong << how_to_rerun(seed);
            return;
        }
    }
}

void expect_caught(const std::string& mutation, int count, const trial& run)
{
    const std::string only = environment("RANKFOLD_SIMT_SEED");
    const std::uint64_t first = only.empty() ? first_seed() : std::strtoull(only.c_str(), nullptr, 10);
    for (int i = 0; i < (only.empty() ? count : 1); ++i) {
        const std::string wrong = run_one(first + static_cast<std::uint64_t>(i), run);
        if (!wrong.empty()) {
            std::printf("caught: %s, at schedule %d: %s\n", mutation.c_str(), i + 1,
                        wrong.substr(0, wrong.find('\n')).c_str());
            return;
        }
    }
    ADD_FAILURE() << "not caught in " << count << " schedules: " << mutation;
}

} // namespace rankfold::simt::executor

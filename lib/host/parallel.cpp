// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankfold/host/parallel.hpp"

#include "host_backend/floating_environment.hpp"

#include <algorithm>
#include <thread>

namespace rankfold::host {
namespace {

// No more threads than blocks: a team of one costs nothing.
int team(int threads, std::int64_t count)
{
    return static_cast<int>(std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1)));
}

void relax()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

} // namespace

void for_each_block(int threads, std::int64_t count, walk direction, block_function_view body)
{
#pragma omp parallel num_threads(team(threads, count))
    {
        const floating_environment ours;
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < count; ++i) {
            body(direction == walk::forwards ? i : count - 1 - i);
        }
    }
}

void for_each_block_rising(int threads, std::int64_t count, block_function_view body)
{
    std::atomic<std::int64_t> ticket{0};
#pragma omp parallel num_threads(team(threads, count))
    {
        const floating_environment ours;
        for (std::int64_t i = ticket.fetch_add(1); i < count; i = ticket.fetch_add(1)) {
            body(i);
        }
    }
}

void turnstile::enter(std::int64_t block)
{
    // The thread ahead is mostly a few instructions from leaving; if it has lost its core, give it this one.
    constexpr int patience = 2000;
    for (int spins = 0; next_.load(std::memory_order_acquire) != block; ++spins) {
        if (spins < patience) {
            relax();
        } else {
            std::this_thread::yield();
        }
    }
}

void turnstile::leave(std::int64_t block)
{
    next_.store(block + 1, std::memory_order_release);
}

} // namespace rankfold::host

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankfold/host/parallel.hpp"

#include "host_backend/floating_environment.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace rankfold::host {
namespace {

// No more threads than blocks: a team of one costs nothing.
int team(int threads, std::int64_t count)
{
    return static_cast<int>(std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1)));
}

/// The first exception of a team: it must not leave the team's region.
class first_exception {
public:
    template <class Body>
    void guard(const Body& body) noexcept
    {
        try {
            body();
        } catch (...) {
            if (!is_set_.exchange(true)) {
                exception_ = std::current_exception();
            }
        }
    }
    [[nodiscard]] bool is_set() const noexcept { return is_set_.load(std::memory_order_relaxed); }
    /// Behind the team's region.
    void rethrow() const
    {
        if (exception_) {
            std::rethrow_exception(exception_);
        }
    }

private:
    std::atomic<bool> is_set_{false};
    std::exception_ptr exception_;
};

/// Thrown in a turnstile that a lower block will not leave any more.
struct abandoned {};

/// Of the rising loop that this thread is in.
thread_local const first_exception* loop_failure = nullptr;

void relax()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

} // namespace

void for_each_block(int threads, std::int64_t count, walk direction, block_function_view body)
{
    first_exception failure;
#pragma omp parallel num_threads(team(threads, count))
    {
        const floating_environment ours;
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < count; ++i) {
            if (!failure.is_set()) {
                failure.guard([&] { body(direction == walk::forwards ? i : count - 1 - i); });
            }
        }
    }
    failure.rethrow();
}

void for_each_block_rising(int threads, std::int64_t count, block_function_view body)
{
    std::atomic<std::int64_t> ticket{0};
    first_exception failure;
#pragma omp parallel num_threads(team(threads, count))
    {
        const floating_environment ours;
        const first_exception* const outer = std::exchange(loop_failure, &failure);
        for (std::int64_t i = ticket.fetch_add(1); i < count && !failure.is_set(); i = ticket.fetch_add(1)) {
            failure.guard([&] { body(i); });
        }
        loop_failure = outer;
    }
    failure.rethrow();
}

void turnstile::enter(std::int64_t block)
{
    // The thread ahead is mostly a few instructions from leaving; if it has lost its core, give it this one.
    constexpr int patience = 2000;
    for (int spins = 0; next_.load(std::memory_order_acquire) != block; ++spins) {
        if (spins < patience) {
            relax();
        } else if (loop_failure != nullptr && loop_failure->is_set()) {
            throw abandoned{};
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

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/watch_thread.hpp"

#include "rankfold/error.hpp"

#include <algorithm>
#include <csignal>
#include <pthread.h>
#include <system_error>

namespace rankfold::detail {
namespace {

/// A thread that takes no signals: they stay with the program's own threads.
template <class Body>
std::thread start_without_signals(Body body)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread made(body);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return made;
    } catch (const std::system_error& refused) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw error(errc::backend, error_origin::system, refused.code().value(), -1,
                    "the system refuses a thread to watch over deadlines: " + refused.code().message() +
                        "; raise the limit of processes (ulimit -u) or that of the container");
    }
}

} // namespace

std::shared_ptr<watch_thread> watch_thread::of_process()
{
    static std::mutex mutex;
    static std::weak_ptr<watch_thread> known;
    const std::lock_guard lock(mutex);
    std::shared_ptr<watch_thread> thread = known.lock();
    if (!thread) {
        thread = std::make_shared<watch_thread>();
        known = thread;
    }
    return thread;
}

watch_thread::watch_thread() : thread_(start_without_signals([this] { run(); }))
{
    pthread_setname_np(thread_.native_handle(), "rankfold-watch");
}

watch_thread::~watch_thread()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void watch_thread::add(watched& one)
{
    {
        const std::lock_guard lock(mutex_);
        all_.push_back(&one);
        changed_ = true;
    }
    wake_.notify_one(); // its period may be shorter than the present sleep
}

void watch_thread::remove(const watched& one) noexcept
{
    const std::lock_guard lock(mutex_);
    std::erase(all_, &one);
}

std::chrono::steady_clock::duration watch_thread::shortest_period() const noexcept
{
    std::chrono::steady_clock::duration shortest = std::chrono::hours(1);
    for (const watched* one : all_) {
        shortest = std::min(shortest, one->period());
    }
    return shortest;
}

void watch_thread::run()
{
    std::unique_lock lock(mutex_);
    auto last = std::chrono::steady_clock::now();
    while (!stop_) {
        changed_ = false;
        // From the last look, so that communicators that come and go do not put it off.
        if (!wake_.wait_until(lock, last + shortest_period(), [this] { return stop_ || changed_; })) {
            for (watched* one : all_) {
                one->look();
            }
            last = std::chrono::steady_clock::now();
        }
    }
}

} // namespace rankfold::detail

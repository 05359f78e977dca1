// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/thread_limit.hpp"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <pthread.h>
#include <string>

namespace {

std::atomic<int> limits{0};
using start = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

} // namespace

/// Stands before the C library's, also for libraries.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*), void* with)
{
    static const auto real = reinterpret_cast<start>(dlsym(RTLD_NEXT, "pthread_create"));
    return limits > 0 ? EAGAIN : real(thread, how, body, with);
}

namespace rankfold::test {

no_more_threads::no_more_threads()
{
    ++limits;
}

no_more_threads::~no_more_threads()
{
    --limits;
}

int watch_threads()
{
    int found = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string name;
        std::getline(std::ifstream(task.path() / "comm"), name);
        found += name == "rankfold-watch" ? 1 : 0;
    }
    return found;
}

} // namespace rankfold::test

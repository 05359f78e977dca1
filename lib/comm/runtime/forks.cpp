// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/forks.hpp"

#include <pthread.h>

namespace rankfold::detail {
namespace {

unsigned counted = 0; // changed in a child alone, while it has one thread

} // namespace

unsigned forks() noexcept
{
    static const int registered = pthread_atfork(nullptr, nullptr, [] { ++counted; });
    static_cast<void>(registered);
    return counted;
}

} // namespace rankfold::detail

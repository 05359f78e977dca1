// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A system that has no more threads to give, and those that it gave to the library. For programs that are
// built with thread_limit.cpp.
#pragma once

namespace rankfold::test {

/// Until it is destroyed no thread of this process can be started.
class no_more_threads {
public:
    no_more_threads();
    ~no_more_threads();
    no_more_threads(const no_more_threads&) = delete;
    no_more_threads& operator=(const no_more_threads&) = delete;
};

/// Threads of this process that watch over deadlines.
[[nodiscard]] int watch_threads();

} // namespace rankfold::test

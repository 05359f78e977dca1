// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of the host backend. The library is compiled with OpenMP; code that includes this header need not
// be. The first exception of a body ends the loop, maybe without some blocks, and goes on to the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace rankfold::host {

/// A function of a block index, by reference. It does not own what it calls.
class block_function_view {
public:
    template <class Body>
    requires(!std::is_same_v<std::remove_cvref_t<Body>, block_function_view>) block_function_view(
        const Body& body) // NOLINT(google-explicit-constructor): a view is made in the call
        : body_(&body),
          call_([](const void* b, std::int64_t block) { (*static_cast<const Body*>(b))(block); })
    {
    }
    void operator()(std::int64_t block) const { call_(body_, block); }

private:
    const void* body_;
    void (*call_)(const void*, std::int64_t);
};

/// The order in which a thread walks the blocks that it was given.
enum class walk { forwards, backwards };

/// Calls `body` for each block of [0, count) once. Every thread takes one contiguous range, the same for
/// equal arguments.
void for_each_block(int threads, std::int64_t count, walk direction, block_function_view body);

/// Calls `body` for each block of [0, count) once. Blocks are handed out in rising order, so that a body may
/// wait for a lower block.
void for_each_block_rising(int threads, std::int64_t count, block_function_view body);

/// Lets the threads of for_each_block_rising pass in block order, one at a time.
class turnstile {
public:
    /// Returns when all lower blocks have left. What they wrote is visible.
    void enter(std::int64_t block);
    void leave(std::int64_t block);

private:
    alignas(64) std::atomic<std::int64_t> next_{0};
};

} // namespace rankfold::host

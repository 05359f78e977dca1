// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A fibre: a function with a stack of its own that hands control back and forth with whoever resumes it.
// Stacks are pooled; a fibre may be abandoned half-way, since kernel bodies own nothing that needs a
// destructor.
#pragma once

#include <cstddef>

namespace rankfold::simt::executor {

class fiber {
public:
    fiber() = default;
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;
    ~fiber();

    /// Prepares `body(argument)`; it begins with the first resume.
    void start(void (*body)(void*), void* argument);
    /// Runs the fibre until it suspends or ends.
    void resume();
    /// Within the fibre: back to the caller of resume.
    void suspend();
    [[nodiscard]] bool ended() const { return ended_; }

private:
    struct entry; // has the signature that Boost.Context wants
    void enter();

    void (*body_)(void*) = nullptr;
    void* argument_ = nullptr;
    std::byte* stack_ = nullptr; // lowest usable byte
    void* context_ = nullptr;    // where to jump: the fibre while suspended, its resumer while it runs
    const void* outer_stack_ = nullptr;
    std::size_t outer_stack_bytes_ = 0;
    void* tsan_self_ = nullptr;
    void* tsan_outer_ = nullptr;
    bool ended_ = false;
};

} // namespace rankfold::simt::executor

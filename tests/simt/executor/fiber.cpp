// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fiber.hpp"

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>

#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace rankfold::simt::executor {
namespace {

namespace context = boost::context::detail;

constexpr std::size_t guard_bytes = 4096;
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_bytes = 256 * 1024; // redzones
#else
constexpr std::size_t stack_bytes = 64 * 1024;
#endif

/// Stacks not in use. Each lies above a page that faults.
class stack_pool {
public:
    std::byte* take()
    {
        if (free_.empty()) {
            void* pages = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (pages == MAP_FAILED) {
                throw std::bad_alloc();
            }
            mprotect(pages, guard_bytes, PROT_NONE);
            return static_cast<std::byte*>(pages) + guard_bytes;
        }
        std::byte* stack = free_.back();
        free_.pop_back();
        return stack;
    }
    void give(std::byte* stack)
    {
#if defined(__SANITIZE_ADDRESS__)
        __asan_unpoison_memory_region(stack, stack_bytes); // frames that were abandoned
#endif
        free_.push_back(stack);
    }

private:
    std::vector<std::byte*> free_;
};

thread_local stack_pool pool;

} // namespace

struct fiber::entry {
    static void run(context::transfer_t from)
    {
        auto* self = static_cast<fiber*>(from.data);
        self->context_ = from.fctx;
        self->enter();
    }
};

fiber::~fiber()
{
    if (stack_ != nullptr) {
        pool.give(stack_);
    }
#if defined(__SANITIZE_THREAD__)
    if (tsan_self_ != nullptr) {
        __tsan_destroy_fiber(tsan_self_);
    }
#endif
}

void fiber::start(void (*body)(void*), void* argument)
{
    body_ = body;
    argument_ = argument;
    stack_ = pool.take();
    context_ = context::make_fcontext(stack_ + stack_bytes, stack_bytes, &entry::run);
#if defined(__SANITIZE_THREAD__)
    tsan_self_ = __tsan_create_fiber(0);
#endif
}

void fiber::resume()
{
#if defined(__SANITIZE_ADDRESS__)
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, stack_, stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    tsan_outer_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_self_, 0);
#endif
    context_ = context::jump_fcontext(context_, this).fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void fiber::suspend()
{
#if defined(__SANITIZE_ADDRESS__)
    void* fake_stack = nullptr;
    // A fibre that ends gives its fake stack back: null.
    __sanitizer_start_switch_fiber(ended_ ? nullptr : &fake_stack, outer_stack_, outer_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(tsan_outer_, 0);
#endif
    context_ = context::jump_fcontext(context_, nullptr).fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_stack, &outer_stack_, &outer_stack_bytes_);
#endif
}

void fiber::enter()
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &outer_stack_, &outer_stack_bytes_);
#endif
    body_(argument_);
    ended_ = true;
    suspend();
    __builtin_unreachable();
}

} // namespace rankfold::simt::executor

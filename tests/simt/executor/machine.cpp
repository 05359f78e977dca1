// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams and residency, and what every primitive does first. Who runs next is in scheduler.cpp.
#include "state.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace rankfold::simt::executor {
namespace {

thread_local machine::state* active = nullptr;

void run_thread(void* argument)
{
    auto& t = *static_cast<thread*>(argument);
    const kernel_state& k = *t.home->kernel;
    block self(t.index, k.how.threads, t.home->index, k.how.blocks);
    k.what.run(self, k.what.arguments.get(), t.home->storage);
}

/// Shared memory holds anything at the start of a block.
void poison(void* storage, std::size_t bytes, random_source& random)
{
    if (random.chance(85)) {
        std::memset(storage, 0, bytes); // as after a kernel that cleared it
        return;
    }
    auto* words = static_cast<unsigned char*>(storage);
    const bool noise = random.chance(128);
    for (std::size_t i = 0; i < bytes; ++i) {
        words[i] = noise ? static_cast<unsigned char>(random.next()) : 0xcd;
    }
}

/// What alignment adds behind the shared memory belongs to nobody.
void forbid([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t bytes)
{
#if defined(__SANITIZE_ADDRESS__)
    __asan_poison_memory_region(begin, bytes);
#endif
}

} // namespace

machine::state& current()
{
    return *active;
}

block_state::~block_state()
{
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(storage, storage_bytes);
#endif
    std::free(storage);
}

machine::state::state(const schedule& s, int gpu_count, int streams_each)
    : how(s), random(s.seed), words(random, s.stale_weight), streams_per_gpu(streams_each),
      streams(static_cast<std::size_t>(gpu_count * streams_each))
{
    for (int gpu = 0; gpu < gpu_count; ++gpu) {
        clock_offsets.push_back(random.below(1'000'000'000));
    }
}

machine::machine(const schedule& how, int gpus, int streams_per_gpu)
    : state_(std::make_unique<state>(how, gpus, streams_per_gpu))
{
}
machine::~machine() = default;

bool machine::enqueue(const shape& s, program p)
{
    if (s.cooperative && s.blocks > state_->how.resident_blocks) {
        return false;
    }
    kernel_state kernel{.how = s, .what = std::move(p), .not_started = {}, .done = {}};
    if (s.blocks < 1 || s.threads < 1 || s.threads > kernel.what.most_threads ||
        s.threads % kernel.what.warp_size != 0) {
        state_->fail(fault::launch, "a launch of " + std::to_string(s.blocks) + " blocks of " +
                                        std::to_string(s.threads) +
                                        " threads: the kernel takes whole warps, at most " +
                                        std::to_string(kernel.what.most_threads) + " threads");
        return true;
    }
    for (int b = s.blocks - 1; b >= 0; --b) {
        kernel.not_started.push_back(b);
    }
    if (state_->how.starts == block_order::backwards) {
        std::reverse(kernel.not_started.begin(), kernel.not_started.end());
    } else if (state_->how.starts == block_order::shuffled) {
        for (std::size_t i = kernel.not_started.size(); i > 1; --i) {
            std::swap(kernel.not_started[i - 1],
                      kernel.not_started[state_->random.below(static_cast<std::uint32_t>(i))]);
        }
    }
    state_->streams[static_cast<std::size_t>(s.gpu * state_->streams_per_gpu + s.stream)].kernels.push_back(
        std::move(kernel));
    return true;
}

outcome machine::run()
{
    state& s = *state_;
    active = &s;
    s.words.accept_plain_stores();
    std::uint32_t most_blocks = 1;
    for (const stream_state& stream : s.streams) {
        for (const kernel_state& k : stream.kernels) {
            most_blocks = std::max(most_blocks, static_cast<std::uint32_t>(k.how.blocks));
        }
    }
    s.starved = static_cast<int>(s.random.below(most_blocks));
    for (s.fill(); s.result.ok() && !s.blocks.empty(); s.fill()) {
        thread* next = s.pick();
        if (next == nullptr) {
            continue;
        }
        s.running = next;
        next->stack.resume();
        s.running = nullptr;
        if (next->stack.ended()) {
            s.end_thread(*next);
        }
    }
    s.words.flush();
    active = nullptr;
    return s.result;
}

// Starts blocks where there is room, and kernels where the one before has ended.
void machine::state::fill()
{
    bool between_kernels = true;
    for (stream_state& stream : streams) {
        if (!stream.kernels.empty() && stream.kernels.front().not_started.empty() &&
            stream.kernels.front().running == 0) {
            words.flush();
            words.accept_plain_stores();
            stream.seen.join(stream.kernels.front().done);
            stream.kernels.pop_front();
        }
        between_kernels &= stream.kernels.empty() || stream.kernels.front().fresh();
    }
    if (between_kernels) {
        words.reset();
        for (stream_state& stream : streams) {
            stream.seen.clear();
        }
    }
    for (stream_state& stream : streams) {
        if (stream.kernels.empty()) {
            continue;
        }
        kernel_state& k = stream.kernels.front();
        while (!k.not_started.empty() && k.running < how.resident_blocks) {
            start_block(stream, k);
        }
    }
}

void machine::state::start_block(const stream_state& stream, kernel_state& kernel)
{
    auto b = std::make_unique<block_state>();
    b->kernel = &kernel;
    b->index = kernel.not_started.back();
    kernel.not_started.pop_back();
    ++kernel.running;
    b->id = next_block_id++;
    b->alive = kernel.how.threads;
    const std::size_t alignment = kernel.what.storage_alignment;
    const std::size_t bytes = (kernel.what.storage_bytes + alignment - 1) / alignment * alignment;
    b->storage = std::aligned_alloc(alignment, bytes);
    poison(b->storage, kernel.what.storage_bytes, random);
    forbid(static_cast<std::byte*>(b->storage) + kernel.what.storage_bytes,
           bytes - kernel.what.storage_bytes);
    b->storage_bytes = bytes;
    b->warps.resize(static_cast<std::size_t>(kernel.how.threads / kernel.what.warp_size));
    live += static_cast<std::uint32_t>(kernel.how.threads);
    b->threads = std::make_unique<thread[]>(static_cast<std::size_t>(kernel.how.threads));
    for (int i = 0; i < kernel.how.threads; ++i) {
        thread& t = b->threads[static_cast<std::size_t>(i)];
        t.home = b.get();
        t.index = i;
        t.memory.current = stream.seen;
        t.stack.start(&run_thread, &t);
        make_ready(t);
    }
    blocks.push_back(std::move(b));
    changed();
}

void machine::state::end_thread(thread& t)
{
    make_waiting(t);
    t.ended = true;
    t.doing = "ended";
    --live;
    changed();
    warp_state& warp = t.home->warps[static_cast<std::size_t>(t.index / t.home->kernel->what.warp_size)];
    ++warp.ended;
    if (warp.arrived > 0) {
        fail(fault::divergence, "lane " + std::to_string(t.index % t.home->kernel->what.warp_size) +
                                    " has ended and is missing from the " + warp.first->offer.name);
    } else if (--t.home->alive == 0) {
        end_block(*t.home);
    }
}

void machine::state::end_block(block_state& b)
{
    if (b.copies > 0) {
        fail(fault::copy,
             "block " + std::to_string(b.index) + " ended with bulk copies into its shared memory in flight");
        return;
    }
    kernel_state& k = *b.kernel;
    --k.running;
    for (int i = 0; i < k.how.threads; ++i) {
        k.done.join(b.threads[static_cast<std::size_t>(i)].memory.current);
    }
    blocks.erase(std::find_if(blocks.begin(), blocks.end(), [&](const auto& p) { return p.get() == &b; }));
}

thread& machine::state::enter(const char* name, site where)
{
    thread& t = *running;
    t.doing = name;
    t.where = where;
    ++result.steps;
    now_ns += random.below(2 * how.clock_step_ns + 1);
    if (!t.spinning) {
        idle = 0;
        ++busy_steps;
    }
    if (!copies.empty() && random.chance(how.copy_weight)) {
        complete_copy();
    }
    if (random.chance(how.switch_weight)) {
        yield();
    }
    return t;
}

void machine::state::changed()
{
    ++changes;
    idle = 0;
}

void machine::state::fail(fault kind, const std::string& text)
{
    if (result.ok()) {
        result.kind = kind;
        result.text = text;
        if (running != nullptr) {
            result.text += "\n  at " + to_string(running->where) + " by thread " +
                           std::to_string(running->index) + " of block " +
                           std::to_string(running->home->index);
        }
        result.text += "\n" + describe_blocks();
    }
}

void machine::state::stop()
{
    running->stack.suspend();
    __builtin_unreachable(); // nobody resumes a thread after a fault
}

void machine::state::yield()
{
    running->stack.suspend();
}

void machine::state::wait()
{
    make_waiting(*running);
    running->stack.suspend();
}

void spin_begin(site where)
{
    thread& t = *current().running;
    t.spinning = true;
    t.spin_where = where;
    t.spins = 0;
    t.polled_at = ~std::uint64_t{0};
}

void spin_failed()
{
    machine::state& s = current();
    thread& t = *s.running;
    ++t.spins;
    ++s.idle;
    ++s.result.steps;
    t.polled_at = s.changes;
    s.yield();
}

// The same for all lanes of a warp that polls together.
bool spin_ask()
{
    machine::state& s = current();
    return s.running->spins % s.how.ask_period == s.how.ask_period - 1;
}

void spin_end()
{
    machine::state& s = current();
    s.running->spinning = false;
    s.idle = 0;
}

std::uint64_t clock_ns(site where)
{
    machine::state& s = current();
    const thread& t = s.enter("clock_ns", where);
    const std::uint64_t slip = s.how.clock_slip_ns > 0 ? s.random.below(s.how.clock_slip_ns + 1) : 0;
    return s.now_ns + s.clock_offsets[static_cast<std::size_t>(t.home->kernel->how.gpu)] - slip;
}

} // namespace rankfold::simt::executor

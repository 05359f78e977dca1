// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the executor knows of a run: threads, warps, blocks, GPUs. Private to tests/simt/executor.
#pragma once

#include "fiber.hpp"
#include "machine.hpp"
#include "memory.hpp"

#include <deque>
#include <map>
#include <vector>

namespace rankfold::simt::executor {

struct block_state;

/// What a lane brought to an exchange of its warp.
struct lane_offer {
    const char* name = nullptr; ///< null: has not arrived
    const void* in = nullptr;
    void* out = nullptr;
    std::size_t bytes = 0;
    int source_lane = 0;
    bool flag = false;
};

struct thread {
    fiber stack;
    block_state* home = nullptr;
    int index = 0;
    int home_slot = -1; ///< place in the list of its block
    int ready_slot =
        -1; ///< place in the list of those that can run; -1: waits in a barrier or exchange, or has ended
    bool ended = false;
    const char* doing = "start"; ///< the primitive called last
    site where;
    std::uint32_t spins = 0; ///< failed polls of the wait it is in
    bool spinning = false;
    site spin_where;
    std::uint64_t polled_at = 0; ///< state of the machine at the last failed poll
    thread_memory memory;
    lane_offer offer;
    struct wait_record {
        std::uint64_t target = 0; ///< phase that it polls for
        bool polling = false;
        std::uint64_t seen = ~std::uint64_t{0}; ///< last phase that it saw complete
    };
    std::map<std::uint32_t, wait_record> waits; ///< by mbarrier
};

struct barrier_state {
    std::vector<thread*> waiting;
    int participants = 0;
    std::uint32_t line = 0;
    view joined;
};

struct mbarrier_state {
    std::uint32_t arrivals = 0;
    std::uint32_t missing = 0;
    std::int64_t bytes = 0;  ///< expected and not yet there
    std::uint64_t phase = 0; ///< the one that is not complete
    view arriving;
    view completed;
};

/// The meeting of a warp's lanes.
struct warp_state {
    thread* first = nullptr; ///< who came first to the exchange that is going on
    int arrived = 0;
    int ended = 0;
};

struct kernel_state;

struct block_state {
    kernel_state* kernel = nullptr;
    int index = 0;
    int id = 0; ///< unique over all launches, rising with the time of start
    int alive = 0;
    int copies = 0; ///< bulk copies in flight
    std::unique_ptr<thread[]> threads;
    void* storage = nullptr;
    std::size_t storage_bytes = 0;
    std::vector<warp_state> warps;
    std::vector<thread*> ready; ///< those that can run
    barrier_state barriers[16];
    std::vector<mbarrier_state> mbarriers;
    ~block_state();
};

struct kernel_state {
    shape how;
    program what;
    std::vector<int> not_started; ///< block indices, the next at the back
    int running = 0;
    view done; ///< what blocks that ended have seen and done; the next kernel sees it, later blocks of this
               ///< one do not

    [[nodiscard]] bool fresh() const { return static_cast<int>(not_started.size()) == how.blocks; }
};

struct stream_state {
    std::deque<kernel_state> kernels;
    view seen; ///< what kernels that ended have seen and done
};

struct copy_part {
    block_state* home;
    std::byte* to;
    const std::byte* from;
    std::uint32_t bytes;
    std::uint32_t mbarrier;
};

struct machine::state {
    state(const schedule& s, int gpu_count, int streams_each);

    schedule how;
    random_source random;
    memory words;
    int streams_per_gpu;
    std::vector<stream_state> streams;                ///< those of a GPU side by side
    std::vector<std::uint64_t> clock_offsets;         ///< of the GPUs
    std::vector<std::unique_ptr<block_state>> blocks; ///< resident
    std::vector<thread*> ready;
    std::vector<copy_part> copies;
    thread* running = nullptr;
    outcome result;
    std::uint64_t now_ns = 1'000'000;
    std::uint64_t idle = 0;       ///< polls since anything changed
    std::uint64_t busy_steps = 0; ///< primitives called outside of waits
    std::uint64_t changes = 0;    ///< stores and completions so far
    std::uint64_t turn = 0;
    int next_block_id = 0;
    int starved = 0;
    std::uint32_t live = 0; ///< threads that have not ended, in resident blocks

    // machine.cpp
    void fill();
    void start_block(const stream_state& stream, kernel_state& kernel);
    void end_block(block_state& b);
    thread* pick();
    thread* pick_by_block();
    thread* busy_thread(const block_state& b);
    void end_thread(thread& t);
    void make_ready(thread& t);
    void make_waiting(thread& t);
    void quiet();

    // Called by primitives, for the running thread.
    thread& enter(const char* name, site where);
    void changed();
    void fail(fault kind, const std::string& text);
    /// After fail, in a primitive: never returns. (Apart, so that the text is freed before.)
    [[noreturn]] void stop();
    void yield();
    void wait();
    [[nodiscard]] accessor who() const { return {running->home->id, running->home->kernel->how.gpu}; }

    // copies.cpp
    void complete_copy();
    mbarrier_state& find_mbarrier(const std::uint64_t* word);
    void settle(mbarrier_state& m);

    [[nodiscard]] std::string describe_blocks() const;
};

/// The machine whose fibre is running.
machine::state& current();

std::string to_string(site where);

} // namespace rankfold::simt::executor

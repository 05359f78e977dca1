// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The executor: runs kernels of rankfold/device on the CPU. Threads are fibres; a seeded scheduler may switch
// at every primitive. What a GPU would let pass or hang on becomes a fault with the state of every block.
//
//     machine m(schedule::from_seed(7));
//     m.launch<some_kernel>({.blocks = 4, .threads = 16}, args);
//     const outcome result = m.run();   // result.ok(), or result.text says what was wrong
#pragma once

#include "schedule.hpp"

#include "rankfold/device/simt.cuh"

#include <memory>
#include <string>

namespace rankfold::simt::executor {

enum class fault {
    none,
    hang,       ///< nobody can go on, or the step budget is spent
    divergence, ///< lanes missing from an exchange, threads from a barrier
    mbarrier,   ///< a waiter two phases off, arrivals or bytes that do not add up, use before init
    copy,       ///< a bulk copy misaligned, out of the shared memory, or in flight when its block ended
    memory,     ///< a word of another block accessed plainly, with two sizes, or with too narrow a scope
    launch,     ///< a shape that the kernel does not allow
};

struct outcome {
    fault kind = fault::none;
    std::string text; ///< what happened where, and the state of every block
    std::uint64_t steps = 0;
    [[nodiscard]] bool ok() const { return kind == fault::none; }
};

/// A kernel without its types.
struct program {
    void (*run)(block&, const void* arguments, void* storage);
    std::size_t storage_bytes;
    std::size_t storage_alignment;
    std::shared_ptr<const void> arguments;
    int most_threads;
    int warp_size;
};

struct shape {
    int blocks;
    int threads;
    bool cooperative = false; ///< all blocks must be resident at once
    int gpu = 0;
    int stream = 0; ///< of the GPU: kernels of one stream follow one another
};

class machine {
public:
    explicit machine(const schedule& how, int gpus = 1, int streams_per_gpu = 1);
    ~machine();
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    /// Puts a kernel at the end of its stream. False: a cooperative launch that does not fit; nothing
    /// is queued.
    template <class Kernel>
    [[nodiscard]] bool launch(const shape& s, const typename Kernel::arguments& arguments)
    {
        using storage = typename Kernel::storage;
        using values = typename Kernel::arguments;
        return enqueue(s, program{.run =
                                      [](block& self, const void* args, void* shared) {
                                          Kernel::run(self, *static_cast<const values*>(args),
                                                      *static_cast<storage*>(shared));
                                      },
                                  .storage_bytes = sizeof(storage),
                                  .storage_alignment = alignof(storage) < 128 ? 128 : alignof(storage),
                                  .arguments = std::make_shared<const values>(arguments),
                                  .most_threads = Kernel::threads,
                                  .warp_size = warp_size});
    }

    /// Runs all streams of all GPUs at once until they are empty or something is wrong. Then more may be
    /// launched.
    outcome run();

    struct state;

private:
    bool enqueue(const shape& s, program p);
    std::unique_ptr<state> state_;
};

} // namespace rankfold::simt::executor

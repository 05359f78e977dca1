// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA calls of the library that fail: the n-th of those that count.
#pragma once

#include "rankfold/device/cuda_error.hpp"

#include <atomic>

namespace rankfold::test {

/// For the life of the object. One at a time.
class planted_faults {
public:
    using step = device::cuda_step;

    /// Every call of the kind `only`.
    planted_faults(cudaError_t status, step only) { start(status, 1, -1, only, true); }
    /// The call number `first` of any kind but ask_for_pools, counted from 1, and no other.
    planted_faults(cudaError_t status, int first) { start(status, first, first, step::launch, false); }
    ~planted_faults() { device::planted_fault = nullptr; }
    planted_faults(const planted_faults&) = delete;
    planted_faults& operator=(const planted_faults&) = delete;

    /// Calls that counted, failed ones included.
    [[nodiscard]] static int calls() { return state().calls; }
    /// The kind of the one that failed last.
    [[nodiscard]] static step failed_step() { return state().failed; }

private:
    struct what {
        std::atomic<int> calls{0};
        std::atomic<step> failed{step::launch};
        cudaError_t status = cudaSuccess;
        int first = 0;
        int last = 0; ///< -1: no last
        step only = step::launch;
        bool one_kind = false;
    };
    static what& state()
    {
        static what it;
        return it;
    }
    static void start(cudaError_t status, int first, int last, step only, bool one_kind)
    {
        what& it = state();
        it.calls = 0;
        it.status = status;
        it.first = first;
        it.last = last;
        it.only = only;
        it.one_kind = one_kind;
        device::planted_fault = &ask;
    }
    static cudaError_t ask(step kind)
    {
        what& it = state();
        if (it.one_kind ? kind != it.only : kind == step::ask_for_pools) {
            return cudaSuccess;
        }
        const int number = ++it.calls;
        const bool fails = number >= it.first && (it.last < 0 || number <= it.last);
        if (fails) {
            it.failed = kind;
        }
        return fails ? it.status : cudaSuccess;
    }
};

} // namespace rankfold::test

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything a kernel body may ask of the machine: threads, shuffles, barriers, asynchronous copies, memory
// that other blocks write, clocks and waits. Kernel bodies use nothing else, so that the same source runs on
// a GPU (here; copies in simt_copies.cuh) and in the CPU executor of the tests (rankfold_simt_executor.hpp,
// taken where the compiler is not nvcc).
//
// A kernel is a struct:
//     struct some_kernel {
//         struct arguments {...};                       // plain data, passed by value
//         struct storage {...};                         // the shared memory of one block
//         static constexpr int threads = ...;           // largest block
//         static constexpr int resident = ...;          // blocks that a multiprocessor has registers for
//         static constexpr int capability = 90;         // the least compute capability; 80 where not said
//         static constexpr bool lets_next_start = true; // see entry; false where not said
//         RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared);
//     };
// and `simt::entry<some_kernel>` (entry.cuh) is its __global__ function under nvcc.
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#if !defined(__CUDACC__)
#define RANKFOLD_DEVICE inline
#define RANKFOLD_DEVICE_CALL inline
#define RANKFOLD_UNROLL
#include "rankfold_simt_executor.hpp"
#else
#define RANKFOLD_DEVICE __device__ __forceinline__
#define RANKFOLD_DEVICE_CALL inline __device__ __noinline__
#define RANKFOLD_UNROLL _Pragma("unroll")
#include "rankfold/device/simt_copies.cuh"

namespace rankfold::simt {

inline constexpr int warp_size = 32;

/// Who sees an ordered access: this block, this GPU, or all GPUs and the host.
enum class scope { block, device, system };

/// Sixteen bytes moved by one instruction.
struct alignas(16) vec16 {
    std::uint32_t word[4];
};

// ---- threads

/// The block that runs the kernel, seen from one of its threads.
struct block {
    RANKFOLD_DEVICE int thread() const { return static_cast<int>(threadIdx.x); }
    RANKFOLD_DEVICE int threads() const { return static_cast<int>(blockDim.x); }
    RANKFOLD_DEVICE int lane() const { return static_cast<int>(threadIdx.x % unsigned{warp_size}); }
    RANKFOLD_DEVICE int warp() const { return static_cast<int>(threadIdx.x / unsigned{warp_size}); }
    RANKFOLD_DEVICE int warps() const { return static_cast<int>(blockDim.x / unsigned{warp_size}); }
    RANKFOLD_DEVICE int index() const { return static_cast<int>(blockIdx.x); }
    RANKFOLD_DEVICE int count() const { return static_cast<int>(gridDim.x); }

    /// All threads of the block arrive before one leaves; orders their shared and global accesses.
    RANKFOLD_DEVICE void sync() const { __syncthreads(); }
    /// All lanes of the warp.
    RANKFOLD_DEVICE void sync_warp() const { __syncwarp(); }
    /// `participants` threads (whole warps) that name the same barrier, 1 to 15.
    RANKFOLD_DEVICE void sync_named(int barrier, int participants) const
    {
        asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(participants) : "memory");
    }

    // Exchanges within a whole warp; every lane takes part. T is trivially copyable.
    template <class T>
    RANKFOLD_DEVICE T shuffle(const T& value, int source_lane) const
    {
        return by_words(value, [=](std::uint32_t word) { return __shfl_sync(all_lanes, word, source_lane); });
    }
    /// The value of lane - delta; lanes below delta get their own.
    template <class T>
    RANKFOLD_DEVICE T shuffle_up(const T& value, int delta) const
    {
        return by_words(value, [=](std::uint32_t word) { return __shfl_up_sync(all_lanes, word, delta); });
    }
    /// The value of lane + delta; the last delta lanes get their own.
    template <class T>
    RANKFOLD_DEVICE T shuffle_down(const T& value, int delta) const
    {
        return by_words(value, [=](std::uint32_t word) { return __shfl_down_sync(all_lanes, word, delta); });
    }
    template <class T>
    RANKFOLD_DEVICE T shuffle_xor(const T& value, int mask) const
    {
        return by_words(value, [=](std::uint32_t word) { return __shfl_xor_sync(all_lanes, word, mask); });
    }
    /// Bit l is the flag of lane l.
    RANKFOLD_DEVICE std::uint32_t ballot(bool flag) const { return __ballot_sync(all_lanes, flag); }
    RANKFOLD_DEVICE bool all(bool flag) const { return __all_sync(all_lanes, flag); }

private:
    static constexpr unsigned all_lanes = 0xffffffffu;

    template <class T, class F>
    RANKFOLD_DEVICE static T by_words(const T& value, F move)
    {
        constexpr int words = (sizeof(T) + 3) / 4;
        std::uint32_t word[words] = {};
        memcpy(word, &value, sizeof(T));
#pragma unroll
        for (int i = 0; i < words; ++i) {
            word[i] = move(word[i]);
        }
        union {
            char none;
            T value;
        } result{.none = 0};
        memcpy(static_cast<void*>(&result.value), word, sizeof(T));
        return result.value;
    }
};

// ---- arithmetic on narrow integers in a word

/// sum + the sum of the bytes of `word` whose bit is set in `wanted` (bits 0 to 3), as signed or unsigned.
template <class Sum>
RANKFOLD_DEVICE Sum add_bytes(Sum sum, std::uint32_t word, int wanted)
{
    const int ones = (wanted & 1) | (wanted & 2) << 7 | (wanted & 4) << 14 | (wanted & 8) << 21;
    if constexpr (std::is_signed_v<Sum>) {
        return __dp4a(static_cast<int>(word), ones, sum);
    } else {
        return __dp4a(word, static_cast<unsigned>(ones), sum);
    }
}

/// The number of the lowest bit that is set; the warp size if none is.
RANKFOLD_DEVICE int lowest_bit(std::uint32_t bits)
{
    return bits == 0 ? warp_size : __ffs(static_cast<int>(bits)) - 1;
}

// ---- memory that other blocks, GPUs or the host write

#define RANKFOLD_SIMT_ACCESS(bits, type, constraint)                                                         \
    template <scope S>                                                                                       \
    RANKFOLD_DEVICE type load_relaxed(const type* p)                                                         \
    {                                                                                                        \
        type v;                                                                                              \
        if constexpr (S == scope::system) {                                                                  \
            asm volatile("ld.relaxed.sys.global." bits " %0, [%1];"                                          \
                         : "=" constraint(v)                                                                 \
                         : "l"(p)                                                                            \
                         : "memory");                                                                        \
        } else {                                                                                             \
            asm volatile("ld.relaxed.gpu.global." bits " %0, [%1];"                                          \
                         : "=" constraint(v)                                                                 \
                         : "l"(p)                                                                            \
                         : "memory");                                                                        \
        }                                                                                                    \
        return v;                                                                                            \
    }                                                                                                        \
    template <scope S>                                                                                       \
    RANKFOLD_DEVICE type load_acquire(const type* p)                                                         \
    {                                                                                                        \
        type v;                                                                                              \
        if constexpr (S == scope::system) {                                                                  \
            asm volatile("ld.acquire.sys.global." bits " %0, [%1];"                                          \
                         : "=" constraint(v)                                                                 \
                         : "l"(p)                                                                            \
                         : "memory");                                                                        \
        } else {                                                                                             \
            asm volatile("ld.acquire.gpu.global." bits " %0, [%1];"                                          \
                         : "=" constraint(v)                                                                 \
                         : "l"(p)                                                                            \
                         : "memory");                                                                        \
        }                                                                                                    \
        return v;                                                                                            \
    }                                                                                                        \
    template <scope S>                                                                                       \
    RANKFOLD_DEVICE void store_relaxed(type* p, type v)                                                      \
    {                                                                                                        \
        if constexpr (S == scope::system) {                                                                  \
            asm volatile("st.relaxed.sys.global." bits " [%0], %1;" ::"l"(p), constraint(v) : "memory");     \
        } else {                                                                                             \
            asm volatile("st.relaxed.gpu.global." bits " [%0], %1;" ::"l"(p), constraint(v) : "memory");     \
        }                                                                                                    \
    }                                                                                                        \
    template <scope S>                                                                                       \
    RANKFOLD_DEVICE void store_release(type* p, type v)                                                      \
    {                                                                                                        \
        if constexpr (S == scope::system) {                                                                  \
            asm volatile("st.release.sys.global." bits " [%0], %1;" ::"l"(p), constraint(v) : "memory");     \
        } else {                                                                                             \
            asm volatile("st.release.gpu.global." bits " [%0], %1;" ::"l"(p), constraint(v) : "memory");     \
        }                                                                                                    \
    }
// Single-copy atomic words in global memory.
RANKFOLD_SIMT_ACCESS("u32", std::uint32_t, "r")
RANKFOLD_SIMT_ACCESS("u64", std::uint64_t, "l")
#undef RANKFOLD_SIMT_ACCESS

/// Two words side by side, 16-byte aligned, in one access: each by itself as by load_relaxed<scope::device>.
RANKFOLD_DEVICE void load_relaxed_pair(const std::uint64_t* p, std::uint64_t (&pair)[2])
{
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(pair[0]), "=l"(pair[1])
                 : "l"(p)
                 : "memory");
}
RANKFOLD_DEVICE void store_relaxed_pair(std::uint64_t* p, std::uint64_t first, std::uint64_t second)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(first), "l"(second) : "memory");
}

/// Orders every access of this thread before it ahead of every one after it, but for a store before and a
/// load after (acquire and release; cheaper than __threadfence, which is sequentially consistent).
template <scope S>
RANKFOLD_DEVICE void fence()
{
    if constexpr (S == scope::system) {
        asm volatile("fence.acq_rel.sys;" ::: "memory");
    } else if constexpr (S == scope::device) {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    } else {
        asm volatile("fence.acq_rel.cta;" ::: "memory");
    }
}

/// Returns the old value; relaxed, device scope.
RANKFOLD_DEVICE std::uint32_t atomic_add(std::uint32_t* p, std::uint32_t value)
{
    return atomicAdd(p, value);
}
RANKFOLD_DEVICE std::uint64_t atomic_add(std::uint64_t* p, std::uint64_t value)
{
    return atomicAdd(reinterpret_cast<unsigned long long*>(p), value);
}
/// Stores `value` where *p is less. Nothing waits for it. Relaxed, device scope.
RANKFOLD_DEVICE void atomic_raise(std::uint64_t* p, std::uint64_t value)
{
    atomicMax(reinterpret_cast<unsigned long long*>(p), value);
}
/// old >= limit ? 0 : old + 1; returns the old value. A ticket that resets itself. Relaxed, device scope.
RANKFOLD_DEVICE std::uint32_t atomic_increment(std::uint32_t* p, std::uint32_t limit)
{
    return atomicInc(p, limit);
}
/// Sets bits; returns the old value. Relaxed, device scope.
RANKFOLD_DEVICE std::uint32_t atomic_or(std::uint32_t* p, std::uint32_t bits)
{
    return atomicOr(p, bits);
}
/// Stores `desired` where *p == expected; returns the old value. Relaxed, device scope.
RANKFOLD_DEVICE std::uint32_t atomic_compare_exchange(std::uint32_t* p, std::uint32_t expected,
                                                      std::uint32_t desired)
{
    return atomicCAS(p, expected, desired);
}

// ---- plain accesses

/// Word is uint8_t, uint16_t, uint32_t, uint64_t or vec16; p is aligned to its size. No hints to the cache:
/// where a kernel lets it drop first what it streams, what others left there stays, and takes the room.
template <class Word>
RANKFOLD_DEVICE Word load(const Word* p)
{
    return *p;
}
template <class Word>
RANKFOLD_DEVICE void store(Word* p, const Word& v)
{
    *p = v;
}

// ---- kernels one after another on a stream

#if defined(__CUDA_ARCH__)
inline constexpr int compiled_capability = __CUDA_ARCH__ / 10;
#else
inline constexpr int compiled_capability = 0;
#endif

/// Code for this and later may be launched to overlap with the kernel before it, whose end it awaits by
/// itself.
inline constexpr int overlap_capability = 90;

/// Until all that is before this kernel on the stream has ended and is visible.
RANKFOLD_DEVICE void await_kernels_before()
{
    if constexpr (compiled_capability >= overlap_capability) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
    }
}
/// Lets the next kernel take its place on the GPU when all blocks of this one have come here, and wait there.
RANKFOLD_DEVICE void let_next_start()
{
    if constexpr (compiled_capability >= overlap_capability) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
}

// ---- time and waits

/// Nanoseconds of the device clock.
RANKFOLD_DEVICE std::uint64_t clock_ns()
{
    std::uint64_t ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

/// Calls `ready` until it returns true. For words that a running block is bound to write.
template <class Ready>
RANKFOLD_DEVICE void spin_until(Ready ready)
{
    while (!ready()) {
    }
}

/// Calls `ready` until it returns true (then true) or `give_up`, asked rarely, returns true (then false).
template <class Ready, class GiveUp>
RANKFOLD_DEVICE bool spin_until(Ready ready, GiveUp give_up)
{
    for (std::uint32_t tries = 1; !ready(); ++tries) {
        if (tries % 1024 == 0 && give_up()) {
            return false;
        }
    }
    return true;
}

} // namespace rankfold::simt
#endif

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The machine primitives of rankfold/device/simt.cuh for a CPU: every one hands control to the executor,
// which may let another thread run, delay what was stored, or complain. Included by simt.cuh alone.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#ifndef RANKFOLD_SIMT_WARP_SIZE
#define RANKFOLD_SIMT_WARP_SIZE 4
#endif

namespace rankfold::simt {

inline constexpr int warp_size = RANKFOLD_SIMT_WARP_SIZE;

enum class scope { block, device, system };
struct alignas(16) vec16 {
    std::uint32_t word[4];
};

/// Where in the kernel a primitive was called.
using site = std::source_location;

/// What the executor offers to the primitives; each acts for the thread that is running. See
/// executor/machine.cpp.
namespace executor {

enum class order { relaxed, ordered };

void sync_block(site where);
void sync_warp(site where);
void sync_named(int barrier, int participants, site where);
void shuffle(const void* in, void* out, std::size_t bytes, int source_lane, const char* name, site where);
std::uint32_t ballot(bool flag, site where);

void require_aligned(const void* p, int bytes, site where);
std::uint64_t load_word(const void* p, int bytes, order o, scope s, site where);
void store_word(void* p, int bytes, std::uint64_t value, order o, scope s, site where);
void fence(scope s, site where);
enum class rmw { add, raise, increment, set_bits, compare_exchange };
std::uint64_t atomic(rmw operation, void* p, int bytes, std::uint64_t operand, std::uint64_t desired,
                     site where);
void move_plain(void* to, const void* from, std::size_t bytes, site where);

void mbarrier_init(std::uint64_t* state, std::uint32_t arrivals, site where);
void mbarrier_arrive(std::uint64_t* state, std::uint32_t expected_bytes, site where);
bool mbarrier_try_wait(std::uint64_t* state, std::uint32_t parity, site where);
void bulk_load(void* shared, const void* global, std::uint32_t bytes, std::uint64_t* done, site where);

std::uint64_t clock_ns(site where);
void spin_begin(site where);
void spin_failed();
bool spin_ask();
void spin_end();

} // namespace executor

/// The block that runs the kernel, seen from one of its threads.
class block {
public:
    block(int thread, int threads, int index, int count)
        : thread_(thread), threads_(threads), index_(index), count_(count)
    {
    }

    int thread() const { return thread_; }
    int threads() const { return threads_; }
    int lane() const { return thread_ % warp_size; }
    int warp() const { return thread_ / warp_size; }
    int warps() const { return threads_ / warp_size; }
    int index() const { return index_; }
    int count() const { return count_; }

    void sync(site where = site::current()) const { executor::sync_block(where); }
    void sync_warp(site where = site::current()) const { executor::sync_warp(where); }
    void sync_named(int barrier, int participants, site where = site::current()) const
    {
        executor::sync_named(barrier, participants, where);
    }

    template <class T>
    T shuffle(const T& value, int source_lane, site where = site::current()) const
    {
        return exchange(value, source_lane & (warp_size - 1), "shuffle", where);
    }
    template <class T>
    T shuffle_up(const T& value, int delta, site where = site::current()) const
    {
        return exchange(value, lane() < delta ? lane() : lane() - delta, "shuffle_up", where);
    }
    template <class T>
    T shuffle_down(const T& value, int delta, site where = site::current()) const
    {
        return exchange(value, lane() + delta < warp_size ? lane() + delta : lane(), "shuffle_down", where);
    }
    template <class T>
    T shuffle_xor(const T& value, int mask, site where = site::current()) const
    {
        return exchange(value, lane() ^ mask, "shuffle_xor", where);
    }
    std::uint32_t ballot(bool flag, site where = site::current()) const
    {
        return executor::ballot(flag, where);
    }
    bool all(bool flag, site where = site::current()) const
    {
        return executor::ballot(flag, where) ==
               static_cast<std::uint32_t>((std::uint64_t{1} << warp_size) - 1);
    }

private:
    template <class T>
    static T exchange(const T& value, int source_lane, const char* name, site where)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        union {
            char none;
            T value;
        } result{.none = 0};
        executor::shuffle(&value, static_cast<void*>(&result.value), sizeof(T), source_lane, name, where);
        return result.value;
    }

    int thread_;
    int threads_;
    int index_;
    int count_;
};

template <class Word>
concept single_copy_atomic = std::is_same_v<Word, std::uint32_t> || std::is_same_v<Word, std::uint64_t>;

template <scope S, single_copy_atomic Word>
Word load_relaxed(const Word* p, site where = site::current())
{
    return static_cast<Word>(executor::load_word(p, sizeof(Word), executor::order::relaxed, S, where));
}
template <scope S, single_copy_atomic Word>
Word load_acquire(const Word* p, site where = site::current())
{
    return static_cast<Word>(executor::load_word(p, sizeof(Word), executor::order::ordered, S, where));
}
template <scope S, single_copy_atomic Word>
void store_relaxed(Word* p, std::type_identity_t<Word> value, site where = site::current())
{
    executor::store_word(p, sizeof(Word), value, executor::order::relaxed, S, where);
}
template <scope S, single_copy_atomic Word>
void store_release(Word* p, std::type_identity_t<Word> value, site where = site::current())
{
    executor::store_word(p, sizeof(Word), value, executor::order::ordered, S, where);
}
/// Words of a pair are accesses by themselves, whose order nobody may rely on.
inline void load_relaxed_pair(const std::uint64_t* p, std::uint64_t (&pair)[2], site where = site::current())
{
    executor::require_aligned(p, 16, where);
    pair[1] = load_relaxed<scope::device>(p + 1, where);
    pair[0] = load_relaxed<scope::device>(p, where);
}
inline void store_relaxed_pair(std::uint64_t* p, std::uint64_t first, std::uint64_t second,
                               site where = site::current())
{
    executor::require_aligned(p, 16, where);
    store_relaxed<scope::device>(p + 1, second, where);
    store_relaxed<scope::device>(p, first, where);
}
template <scope S>
void fence(site where = site::current())
{
    executor::fence(S, where);
}

template <single_copy_atomic Word>
Word atomic_add(Word* p, std::type_identity_t<Word> value, site where = site::current())
{
    return static_cast<Word>(executor::atomic(executor::rmw::add, p, sizeof(Word), value, 0, where));
}
inline void atomic_raise(std::uint64_t* p, std::uint64_t value, site where = site::current())
{
    executor::atomic(executor::rmw::raise, p, sizeof *p, value, 0, where);
}
inline std::uint32_t atomic_increment(std::uint32_t* p, std::uint32_t limit, site where = site::current())
{
    return static_cast<std::uint32_t>(
        executor::atomic(executor::rmw::increment, p, sizeof *p, limit, 0, where));
}
inline std::uint32_t atomic_or(std::uint32_t* p, std::uint32_t bits, site where = site::current())
{
    return static_cast<std::uint32_t>(
        executor::atomic(executor::rmw::set_bits, p, sizeof *p, bits, 0, where));
}
inline std::uint32_t atomic_compare_exchange(std::uint32_t* p, std::uint32_t expected, std::uint32_t desired,
                                             site where = site::current())
{
    return static_cast<std::uint32_t>(
        executor::atomic(executor::rmw::compare_exchange, p, sizeof *p, expected, desired, where));
}

template <class Word>
Word load(const Word* p, site where = site::current())
{
    Word v;
    executor::move_plain(&v, p, sizeof(Word), where);
    return v;
}
template <class Word>
void store(Word* p, const Word& v, site where = site::current())
{
    executor::move_plain(p, &v, sizeof(Word), where);
}

struct mbarrier {
    std::uint64_t state;

    void init(std::uint32_t arrivals, site where = site::current())
    {
        executor::mbarrier_init(&state, arrivals, where);
    }
    void arrive(site where = site::current()) { executor::mbarrier_arrive(&state, 0, where); }
    void arrive_expect(std::uint32_t bytes, site where = site::current())
    {
        executor::mbarrier_arrive(&state, bytes, where);
    }
    bool try_wait(std::uint32_t parity, site where = site::current())
    {
        return executor::mbarrier_try_wait(&state, parity, where);
    }
    bool test(std::uint32_t parity, site where = site::current()) { return try_wait(parity, where); }
    void wait(std::uint32_t parity, site where = site::current())
    {
        executor::spin_begin(where);
        while (!try_wait(parity, where)) {
            executor::spin_failed();
        }
        executor::spin_end();
    }
};

inline void fence_mbarrier_init() {}

template <class Sum>
Sum add_bytes(Sum sum, std::uint32_t word, int wanted)
{
    using byte = std::conditional_t<std::is_signed_v<Sum>, std::int8_t, std::uint8_t>;
    std::uint32_t all = static_cast<std::uint32_t>(sum);
    for (int b = 0; b < 4; ++b) {
        const auto value = static_cast<byte>(word >> 8 * b);
        all += wanted >> b & 1 ? static_cast<std::uint32_t>(static_cast<Sum>(value)) : 0U;
    }
    return static_cast<Sum>(all);
}

inline int lowest_bit(std::uint32_t bits)
{
    return bits == 0 ? warp_size : std::countr_zero(bits);
}

inline void bulk_load(void* shared, const void* global, std::uint32_t bytes, mbarrier& done,
                      site where = site::current())
{
    executor::bulk_load(shared, global, bytes, &done.state, where);
}

inline std::uint64_t clock_ns(site where = site::current())
{
    return executor::clock_ns(where);
}

template <class Ready>
void spin_until(Ready ready, site where = site::current())
{
    executor::spin_begin(where);
    while (!ready()) {
        executor::spin_failed();
    }
    executor::spin_end();
}

template <class Ready, class GiveUp>
requires std::is_invocable_v<GiveUp>
bool spin_until(Ready ready, GiveUp give_up, site where = site::current())
{
    executor::spin_begin(where);
    while (!ready()) {
        if (executor::spin_ask() && give_up()) {
            executor::spin_end();
            return false;
        }
        executor::spin_failed();
    }
    executor::spin_end();
    return true;
}

} // namespace rankfold::simt

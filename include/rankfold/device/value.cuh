// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values in registers and in memory that several blocks touch.
//
// Accumulators need no default constructor, so arrays of them hold raw storage. Between blocks a value
// travels as words:
//   plain    64-bit words; the reader is ordered behind the writer by fences and an arrival, or by the end of
//            a kernel
//   stamped  64-bit words { 32 bits of data, 32 bits of epoch }; each word proves itself, so no fence is
//            needed, and words of earlier calls need not be cleared
#pragma once

#include "rankfold/device/simt.cuh"
#include "rankfold/slot.hpp"

namespace rankfold::device {

/// Storage for a T that may hold none yet.
template <class T>
union uninitialised {
    T value;
    char none;
    RANKFOLD_DEVICE uninitialised() {} // not even `none`: a byte written would split the words of the value
};

/// The consecutive elements that a lane owns in a row.
template <class T, int Vector>
struct lane_vector {
    uninitialised<T> at[Vector];
};

/// One of two values, word by word: a choice between references would put both into memory.
template <class T>
RANKFOLD_DEVICE T select(bool first, const T& a, const T& b)
{
    constexpr int words = (sizeof(T) + 3) / 4;
    std::uint32_t word_a[words] = {};
    std::uint32_t word_b[words] = {};
    memcpy(word_a, &a, sizeof(T));
    memcpy(word_b, &b, sizeof(T));
    RANKFOLD_UNROLL
    for (int w = 0; w < words; ++w) {
        word_a[w] = first ? word_a[w] : word_b[w];
    }
    uninitialised<T> result;
    memcpy(static_cast<void*>(&result.value), word_a, sizeof(T));
    return result.value;
}

/// 64-bit words of a plain value.
template <class T>
inline constexpr int plain_words = (sizeof(T) + 7) / 8;

/// 64-bit words of a stamped value.
template <class T>
inline constexpr int stamped_words = (sizeof(T) + 3) / 4;

/// Whether its words are moved two at a time, and are 16-byte aligned. Every access of a warp costs the cache
/// all the sectors that it touches.
template <class T>
inline constexpr bool stamped_in_pairs = stamped_words<T> % 2 == 0;

template <class T>
RANKFOLD_DEVICE void store_plain(std::uint64_t* words, const T& value)
{
    std::uint64_t word[plain_words<T>] = {};
    memcpy(word, &value, sizeof(T));
    RANKFOLD_UNROLL
    for (int w = 0; w < plain_words<T>; ++w) {
        simt::store_relaxed<simt::scope::device>(words + w, word[w]);
    }
}

template <class T>
RANKFOLD_DEVICE T load_plain(const std::uint64_t* words)
{
    std::uint64_t word[plain_words<T>];
    RANKFOLD_UNROLL
    for (int w = 0; w < plain_words<T>; ++w) {
        word[w] = simt::load_relaxed<simt::scope::device>(words + w);
    }
    uninitialised<T> result;
    memcpy(static_cast<void*>(&result.value), word, sizeof(T));
    return result.value;
}

template <class T>
RANKFOLD_DEVICE void store_stamped(std::uint64_t* words, const T& value, std::uint32_t epoch)
{
    std::uint32_t data[stamped_words<T>] = {};
    memcpy(data, &value, sizeof(T));
    const auto word = [&](int w) { return std::uint64_t{epoch} << 32 | data[w]; };
    RANKFOLD_UNROLL
    for (int w = 0; w < stamped_words<T>; w += stamped_in_pairs<T> ? 2 : 1) {
        if constexpr (stamped_in_pairs<T>) {
            simt::store_relaxed_pair(words + w, word(w), word(w + 1));
        } else {
            simt::store_relaxed<simt::scope::device>(words + w, word(w));
        }
    }
}

/// Words of a stamped value as they were last seen; at first not seen.
template <class T>
struct stamped_view {
    std::uint64_t word[stamped_words<T>] = {};

    RANKFOLD_DEVICE void look(const std::uint64_t* words)
    {
        RANKFOLD_UNROLL
        for (int w = 0; w < stamped_words<T>; w += stamped_in_pairs<T> ? 2 : 1) {
            if constexpr (stamped_in_pairs<T>) {
                std::uint64_t pair[2];
                simt::load_relaxed_pair(words + w, pair);
                word[w] = pair[0];
                word[w + 1] = pair[1];
            } else {
                word[w] = simt::load_relaxed<simt::scope::device>(words + w);
            }
        }
    }
    RANKFOLD_DEVICE bool complete(std::uint32_t epoch) const
    {
        bool all = true;
        RANKFOLD_UNROLL
        for (int w = 0; w < stamped_words<T>; ++w) {
            all = all && static_cast<std::uint32_t>(word[w] >> 32) == epoch;
        }
        return all;
    }
    RANKFOLD_DEVICE T value() const
    {
        std::uint32_t data[stamped_words<T>];
        RANKFOLD_UNROLL
        for (int w = 0; w < stamped_words<T>; ++w) {
            data[w] = static_cast<std::uint32_t>(word[w]);
        }
        uninitialised<T> result;
        memcpy(static_cast<void*>(&result.value), data, sizeof(T));
        return result.value;
    }
};

} // namespace rankfold::device

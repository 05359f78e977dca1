// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What kernels read from and write to.
//
// A source gives element i of a piece, or the Vector consecutive elements that a lane owns at once. Which
// lane owns which element never depends on alignment: a base that is not 16-byte aligned is read in narrower
// words, in the same places.
#pragma once

#include "rankfold/device/value.cuh"

#include <concepts>

namespace rankfold::device {

/// @see the banner of this file.
template <class S>
concept Source = std::is_trivially_copyable_v<S> &&
    requires(const S s, std::int64_t i, lane_vector<typename S::value_type, 2>& x)
{
    {
        s[i]
        } -> std::convertible_to<typename S::value_type>;
    s.load(i, x);
};

namespace detail {

template <int Bytes>
struct word_of;
template <>
struct word_of<1> {
    using type = std::uint8_t;
};
template <>
struct word_of<2> {
    using type = std::uint16_t;
};
template <>
struct word_of<4> {
    using type = std::uint32_t;
};
template <>
struct word_of<8> {
    using type = std::uint64_t;
};
template <>
struct word_of<16> {
    using type = simt::vec16;
};

/// The widest access, up to 16 bytes, that divides a run of `bytes`.
RANKFOLD_HOST_DEVICE constexpr int widest_word(int bytes)
{
    return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

template <class Word, class T, int Vector>
RANKFOLD_DEVICE void load_words(const T* from, lane_vector<T, Vector>& x)
{
    constexpr int count = sizeof(x) / sizeof(Word);
    Word word[count];
    RANKFOLD_UNROLL
    for (int w = 0; w < count; ++w) {
        word[w] = simt::load(reinterpret_cast<const Word*>(from) + w);
    }
    memcpy(static_cast<void*>(&x), word, sizeof(x));
}

template <class Word, class T, int Vector>
RANKFOLD_DEVICE void store_words(T* to, const lane_vector<T, Vector>& x)
{
    RANKFOLD_UNROLL
    for (int w = 0; w < static_cast<int>(sizeof(x) / sizeof(Word)); ++w) {
        Word word; // one at a time: a copy of all is not kept in registers
        memcpy(&word, reinterpret_cast<const unsigned char*>(&x) + w * sizeof(Word), sizeof(Word));
        simt::store(reinterpret_cast<Word*>(to) + w, word);
    }
}

} // namespace detail

/// A contiguous array.
template <class T>
struct contiguous {
    using value_type = T;
    using narrow_word = typename detail::word_of<detail::widest_word(alignof(T))>::type;

    const T* data;
    bool aligned; ///< to 16 bytes

    explicit contiguous(const void* base)
        : data(static_cast<const T*>(base)), aligned(reinterpret_cast<std::uintptr_t>(base) % 16 == 0)
    {
    }

    RANKFOLD_HOST_DEVICE contiguous(const void* base, bool is_aligned)
        : data(static_cast<const T*>(base)), aligned(is_aligned)
    {
    }

    RANKFOLD_DEVICE T operator[](std::int64_t i) const
    {
        lane_vector<T, 1> x;
        detail::load_words<narrow_word>(data + i, x);
        return x.at[0].value;
    }

    /// Elements [first, first + Vector); first is a multiple of Vector.
    template <int Vector>
    RANKFOLD_DEVICE void load(std::int64_t first, lane_vector<T, Vector>& x) const
    {
        using wide_word = typename detail::word_of<detail::widest_word(sizeof(T) * Vector)>::type;
        if (aligned) {
            detail::load_words<wide_word>(data + first, x);
        } else {
            detail::load_words<narrow_word>(data + first, x);
        }
    }

    /// Rows of them, each `step` elements behind the one before: asked once whether they are aligned.
    template <int Vector, int Rows>
    RANKFOLD_DEVICE void load_rows(std::int64_t first, int step, lane_vector<T, Vector> (&x)[Rows]) const
    {
        using wide_word = typename detail::word_of<detail::widest_word(sizeof(T) * Vector)>::type;
        if (aligned) [[likely]] { // else narrow loads stand between the wide ones and their use
            RANKFOLD_UNROLL
            for (int r = 0; r < Rows; ++r) {
                detail::load_words<wide_word>(data + first + r * step, x[r]);
            }
        } else {
            RANKFOLD_UNROLL
            for (int r = 0; r < Rows; ++r) {
                detail::load_words<narrow_word>(data + first + r * step, x[r]);
            }
        }
    }
};

/// The lane's vectors of rows that begin at `first` and `step` elements behind each other.
template <Source S, int Vector, int Rows>
RANKFOLD_DEVICE void load_rows(const S& source, std::int64_t first, int step,
                               lane_vector<typename S::value_type, Vector> (&x)[Rows])
{
    if constexpr (requires { source.load_rows(first, step, x); }) {
        source.load_rows(first, step, x);
    } else {
        RANKFOLD_UNROLL
        for (int r = 0; r < Rows; ++r) {
            source.load(first + r * step, x[r]);
        }
    }
}

/// f(s[i]).
template <Source S, class F>
struct transformed {
    using value_type = std::decay_t<std::invoke_result_t<F, typename S::value_type>>;

    S source;
    F f;

    RANKFOLD_DEVICE value_type operator[](std::int64_t i) const { return f(source[i]); }

    template <int Vector>
    RANKFOLD_DEVICE void load(std::int64_t first, lane_vector<value_type, Vector>& x) const
    {
        lane_vector<typename S::value_type, Vector> raw;
        source.load(first, raw);
        RANKFOLD_UNROLL
        for (int v = 0; v < Vector; ++v) {
            x.at[v].value = f(raw.at[v].value);
        }
    }
};

/// The lane's vector at `first`, of which element end - 1 stands in for those that do not exist.
template <Source S, int Vector>
RANKFOLD_DEVICE void load_some(const S& source, std::int64_t first, std::int64_t end,
                               lane_vector<typename S::value_type, Vector>& x)
{
    if (Vector > 1 && first + Vector <= end) {
        source.load(first, x);
        return;
    }
    RANKFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) {
        x.at[v].value = source[first + v < end ? first + v : end - 1];
    }
}

template <class T, class U>
struct zipped_pair {
    T first;
    U second;
};

/// The pairs of two sources.
template <Source S, Source R>
struct zipped {
    using value_type = zipped_pair<typename S::value_type, typename R::value_type>;

    S first_source;
    R second_source;

    RANKFOLD_DEVICE value_type operator[](std::int64_t i) const
    {
        return {first_source[i], second_source[i]};
    }

    template <int Vector>
    RANKFOLD_DEVICE void load(std::int64_t first, lane_vector<value_type, Vector>& x) const
    {
        lane_vector<typename S::value_type, Vector> left;
        lane_vector<typename R::value_type, Vector> right;
        first_source.load(first, left);
        second_source.load(first, right);
        RANKFOLD_UNROLL
        for (int v = 0; v < Vector; ++v) {
            x.at[v].value = value_type{left.at[v].value, right.at[v].value};
        }
    }
};

/// Where a scan writes: a contiguous array, in the same words as `contiguous` reads.
template <class T>
struct contiguous_sink {
    using narrow_word = typename detail::word_of<detail::widest_word(alignof(T))>::type;

    T* data;
    bool aligned;

    explicit contiguous_sink(void* base)
        : data(static_cast<T*>(base)), aligned(reinterpret_cast<std::uintptr_t>(base) % 16 == 0)
    {
    }

    template <int Vector>
    RANKFOLD_DEVICE void store(std::int64_t first, const lane_vector<T, Vector>& x) const
    {
        using wide_word = typename detail::word_of<detail::widest_word(sizeof(T) * Vector)>::type;
        if (aligned) {
            detail::store_words<wide_word>(data + first, x);
        } else {
            detail::store_words<narrow_word>(data + first, x);
        }
    }

    /// Elements [first, last) of the lane's vector.
    template <int Vector>
    RANKFOLD_DEVICE void store_some(std::int64_t first, std::int64_t last,
                                    const lane_vector<T, Vector>& x) const
    {
        RANKFOLD_UNROLL
        for (int v = 0; v < Vector; ++v) {
            if (first + v < last) {
                lane_vector<T, 1> one;
                one.at[0] = x.at[v];
                detail::store_words<narrow_word>(data + first + v, one);
            }
        }
    }
};

} // namespace rankfold::device

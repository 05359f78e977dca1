// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers into exact sums, a chunk at a time: by few bins where they fit, by more bins, or one by one.
#include "exact_add.hpp"

#include "exact_window.hpp"
#include "wide_sum.hpp"

#include <algorithm>

namespace rankfold::host {
namespace {

using detail::chunk_numbers;
using detail::step_numbers;
using detail::window_sums;
using exact::sum_of_numbers;

/// How the numbers of a type are tried: in a window that is quick and holds ordinary data, and in a longer
/// one.
template <class T>
struct attempts;
template <>
struct attempts<double> { // 2^31 and 2^199 between largest and smallest
    static constexpr int near_bins = 2;
    static constexpr int near_lowest = detail::lowest_top<near_bins>;
    static constexpr int near_highest = detail::highest_top;
    static constexpr int far_bins = 6;
    static constexpr int highest = detail::highest_top; ///< of the far window
};
template <>
struct attempts<float> { // 2^20, and all finite numbers
    static constexpr int near_bins = detail::float_bins;
    static constexpr int near_lowest = detail::lowest_float_top;
    static constexpr int near_highest = detail::highest_float_top;
    static constexpr int far_bins = 7;
    static constexpr int highest = 128; ///< of finite numbers
};

template <int Bins, class T>
[[gnu::always_inline]] inline void add_in_window(const T* x, std::int64_t count, int top,
                                                 window_sums<Bins>& result)
{
    if constexpr (std::is_same_v<T, float> && Bins == detail::float_bins) {
        detail::add_in_floats(x, count, top, result);
    } else {
        detail::add_in_doubles(x, count, top, result);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
template <int Bins, class T>
[[gnu::target("avx2")]] void add_in_wide_vectors(const T* x, std::int64_t count, int top,
                                                 window_sums<Bins>& result)
{
    add_in_window(x, count, top, result);
}
#else
template <int Bins, class T>
void add_in_wide_vectors(const T*, std::int64_t, int, window_sums<Bins>&)
{
}
#endif

template <int Bins, class T>
void try_window(const T* x, std::int64_t count, int top, window_sums<Bins>& result)
{
    if (detail::has_wide_vectors) {
        add_in_wide_vectors(x, count, top, result);
    } else {
        add_in_window(x, count, top, result);
    }
}

template <class T>
class chunk_adder {
public:
    chunk_adder(sum_of_numbers& even, sum_of_numbers& odd) : sums_{&even, &odd} {}

    void add(const T* x, std::int64_t count)
    {
        alignas(32) T padded[chunk_numbers];
        const T* whole = x;
        const std::int64_t steps = (count + step_numbers - 1) / step_numbers * step_numbers;
        if (steps != count) {
            std::fill(std::copy(x, x + count, padded), padded + steps, T{0});
            whole = padded;
        }
        window_sums<limits::near_bins> near;
        try_window(whole, steps, top_, near);
        const int top = std::max(near.top[0], near.top[1]);
        if (top > limits::highest) {
            return add_one_by_one(x, count); // infinities and NaNs among them
        }
        if (top > top_ || !near.fits) { // the window follows the largest number
            top_ = std::clamp(top, limits::near_lowest, limits::near_highest);
            try_window(whole, steps, top_, near);
        }
        if (top <= top_ && near.fits) {
            return put(near, x, count);
        }
        window_sums<limits::far_bins> far;
        try_window(whole, steps, std::max(top, detail::lowest_top<limits::far_bins>), far);
        if (far.fits) {
            return put(far, x, count);
        }
        add_one_by_one(x, count);
    }

private:
    using limits = attempts<T>;

    void add_one_by_one(const T* x, std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            sums_[i % 2]->add(x[i]);
        }
    }

    template <int Bins>
    void put(const window_sums<Bins>& window, const T* x, std::int64_t count)
    {
        for (int place = 0; place < 2; ++place) {
            bool minus_zeros = window.may_all_be_zero[place];
            for (std::int64_t i = place; minus_zeros && i < count; i += 2) {
                minus_zeros = x[i] == 0 && std::signbit(x[i]);
            }
            sums_[place]->note(exact::fact::some | (minus_zeros ? 0 : exact::fact::not_minus_zero));
            for (int k = 0; k < Bins; ++k) {
                if (window.bin[k][place] != 0) {
                    sums_[place]->add(window.bin[k][place]);
                }
            }
        }
    }

    sum_of_numbers* sums_[2];
    int top_ = limits::near_lowest;
};

template <class T>
void add_chunks(const T* x, std::int64_t count, sum_of_numbers& even, sum_of_numbers& odd)
{
    chunk_adder<T> adder(even, odd);
    for (std::int64_t first = 0; first < count; first += chunk_numbers) {
        adder.add(x + first, std::min(chunk_numbers, count - first));
    }
}

/// 16-bit numbers are floats first, a chunk at a time.
template <class T>
void add_narrow(const T* x, std::int64_t count, sum_of_numbers& even, sum_of_numbers& odd)
{
    chunk_adder<float> adder(even, odd);
    alignas(32) float values[chunk_numbers];
    for (std::int64_t first = 0; first < count; first += chunk_numbers) {
        const std::int64_t n = std::min(chunk_numbers, count - first);
        std::transform(x + first, x + first + n, values, [](T value) { return static_cast<float>(value); });
        adder.add(values, n);
    }
}

} // namespace

void add_exactly(const double* x, std::int64_t count, sum_of_numbers& even, sum_of_numbers& odd)
{
    add_chunks(x, count, even, odd);
}
void add_exactly(const float* x, std::int64_t count, sum_of_numbers& even, sum_of_numbers& odd)
{
    add_chunks(x, count, even, odd);
}
void add_exactly(const float16* x, std::int64_t count, sum_of_numbers& even, sum_of_numbers& odd)
{
    add_narrow(x, count, even, odd);
}
void add_exactly(const bfloat16* x, std::int64_t count, sum_of_numbers& even, sum_of_numbers& odd)
{
    add_narrow(x, count, even, odd);
}

} // namespace rankfold::host

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exact sum of real or of complex numbers: the latter are two sums, of the real and the imaginary parts.
#pragma once

#include "exact_add.hpp"
#include "rankfold/types.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace rankfold::host {
namespace detail {

template <class T>
struct component {
    using type = T;
};
template <class T>
struct component<complex<T>> {
    using type = T;
};
template <class T>
using component_t = typename component<T>::type;

/// Sums of which a sum of T consists.
template <class T>
inline constexpr std::size_t sums_of = rankfold::detail::is_complex<T> ? 2 : 1;

/// A value at any alignment.
template <class T>
T read_as(const std::byte* bytes)
{
    T value;
    std::memcpy(static_cast<void*>(&value), bytes, sizeof(T));
    return value;
}

} // namespace detail

template <std::size_t Sums>
class exact_total {
public:
    using short_records = std::array<exact::short_sum, Sums>;
    using wide_records = std::array<exact::sum_of_numbers::record, Sums>;

    template <class T>
    void add(const T* x, std::int64_t count)
    {
        add_exactly(reinterpret_cast<const detail::component_t<T>*>(x),
                    count * static_cast<std::int64_t>(Sums), sums_.front(), sums_.back());
    }
    template <class T>
    void add(const T& x)
    {
        if constexpr (Sums == 2) {
            sums_[0].add(x.re);
            sums_[1].add(x.im);
        } else {
            sums_[0].add(x);
        }
    }
    void merge(const exact_total& right)
    {
        for (std::size_t i = 0; i < Sums; ++i) {
            sums_[i].merge(right.sums_[i]);
        }
    }
    /// Adds what a rank brings. `wide`, its wide records, may be null where no short one is outside.
    void merge(const short_records& records, const std::byte* wide)
    {
        for (std::size_t i = 0; i < Sums; ++i) {
            if (records[i].outside == 0) {
                sums_[i].merge(records[i]);
            } else {
                using record = exact::sum_of_numbers::record;
                sums_[i].merge(detail::read_as<record>(wide + i * sizeof(record)));
            }
        }
    }
    void write(std::byte* records, std::byte* wide)
    {
        short_records narrow;
        wide_records whole;
        for (std::size_t i = 0; i < Sums; ++i) {
            narrow[i] = sums_[i].to_short();
            whole[i] = sums_[i].to_record();
        }
        std::memcpy(records, narrow.data(), sizeof narrow);
        std::memcpy(wide, whole.data(), sizeof whole);
    }
    template <class Out>
    [[nodiscard]] Out lower()
    {
        using value = detail::component_t<Out>;
        if constexpr (Sums == 2) {
            return {sums_[0].template lower<value>(), sums_[1].template lower<value>()};
        } else {
            return sums_[0].template lower<value>();
        }
    }

private:
    std::array<exact::sum_of_numbers, Sums> sums_;
};

} // namespace rankfold::host

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The matrix that every distributed algorithm is tested on: operators, distributions, sizes.
#pragma once

#include "support/distributed.hpp"
#include "support/distributions.hpp"
#include "support/reference.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace rankfold::test {

/// Elements of a tile: what one thread of the host backend handles at a time. The tiles of GPU kernels are
/// smaller.
template <class T>
inline constexpr std::int64_t tile = (128 << 10) / static_cast<std::int64_t>(sizeof(T));

/// Sizes of a full piece of T, in elements; the last one takes several tiles of every backend.
template <class T>
inline constexpr std::array<std::int64_t, 9> piece_sizes{
    0, 1, 257, 2048, 4097, tile<T> - 1, tile<T>, tile<T> + 1, 2 * tile<T> + 4099};
template <class T>
inline constexpr std::int64_t largest_piece = piece_sizes<T>.back();

/// A number that looks random and depends on the index alone.
[[nodiscard]] constexpr std::uint64_t scrambled(std::uint64_t index)
{
    std::uint64_t x = index + 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// Element `index` of the global array. Floating values are small whole numbers, so that every sum is exact.
template <class T>
[[nodiscard]] T element(std::int64_t index)
{
    const std::uint64_t random = scrambled(static_cast<std::uint64_t>(index));
    if constexpr (std::is_same_v<T, affine_map<std::int64_t>>) {
        return {static_cast<std::int64_t>(random % 7) - 3,
                static_cast<std::int64_t>(random >> 40) % 1001 - 500};
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(random);
    } else {
        return static_cast<T>(static_cast<int>(random % 17) - 8);
    }
}

template <class T>
[[nodiscard]] std::vector<T> global_array(std::int64_t count)
{
    std::vector<T> result;
    result.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        result.push_back(element<T>(i));
    }
    return result;
}

/// One row of the matrix: an operator with its types and its reference.
template <operator_id Id, class In, class Out, class Reference>
struct matrix_case {
    using input = In;
    using output = Out;
    static constexpr builtin_operator<Id> op{};
    static constexpr Reference reference{};
    static Out init() { return element<Out>(12345); }
};
using sum_of_int64 = matrix_case<operator_id::sum, std::int64_t, std::int64_t, reference_sum>;
using sum_of_int32_in_int64 = matrix_case<operator_id::sum, std::int32_t, std::int64_t, reference_sum>;
using sum_of_float_in_double = matrix_case<operator_id::sum, float, double, reference_sum>;
using max_of_float = matrix_case<operator_id::max, float, float, reference_max>;
using composition_of_maps =
    matrix_case<operator_id::affine, affine_map<std::int64_t>, affine_map<std::int64_t>, reference_affine>;

/// Every size for pieces on all ranks, a few where some ranks are empty (it is the emptiness that matters
/// there).
template <class T>
[[nodiscard]] std::vector<std::int64_t> sizes_for(distribution which)
{
    switch (which) {
    case distribution::even:
    case distribution::ragged:
        return {piece_sizes<T>.begin(), piece_sizes<T>.end()};
    case distribution::first_empty:
    case distribution::last_empty:
    case distribution::middle_empty:
    case distribution::all_but_one_empty:
        return {1, 257, tile<T> + 1};
    case distribution::one_element:
    case distribution::all_empty:
        return {1};
    }
    return {};
}

/// Calls `body(layout)` for every distribution and size of T, with a trace that names both.
template <class T, class Body>
void for_every_layout(const Body& body)
{
    const int rank = world_rank();
    const int ranks = world_size();
    for (const distribution which : all_distributions) {
        for (const std::int64_t piece : sizes_for<T>(which)) {
            SCOPED_TRACE(testing::Message()
                         << to_string(which) << ", pieces of " << piece << ", rank " << rank);
            body(layout_of(which, piece, rank, ranks));
        }
    }
}

} // namespace rankfold::test

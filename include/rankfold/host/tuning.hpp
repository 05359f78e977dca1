// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every number of the host backend. Bits depend on these constants and on element indices, on nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankfold::host {

/// A block is what one thread reduces at a time, and scans again out of its cache.
inline constexpr std::int64_t block_bytes = 64 << 10;

/// Lanes into which a commutative operator spreads a block: element i goes to lane i mod lanes.
inline constexpr std::size_t lane_bytes = 512;

/// Strips that an ordered operator folds side by side, so that their dependent chains overlap, and their
/// length.
inline constexpr std::int64_t strips = 8;
inline constexpr std::int64_t strip_elements = 32;

/// Accumulators of a tile, which a scan writes into the first-level cache before they go out.
inline constexpr std::size_t tile_bytes = 4 << 10;

/// Results of this size and more are written past the cache. (No bits depend on it.)
inline constexpr std::size_t past_cache_bytes = 32 << 20;

/// Block partials are folded in groups of this many, and the groups left to right.
inline constexpr std::int64_t group_blocks = 64;

/// Blocks of a reduction between two folds: whole groups, and enough for many threads (64 MiB).
inline constexpr std::int64_t round_blocks = 16 * group_blocks;

/// Elements of a block of T.
template <class T>
inline constexpr std::int64_t block_elements = block_bytes / static_cast<std::int64_t>(sizeof(T));

/// Elements of a tile.
template <class Accumulator>
inline constexpr std::int64_t tile_elements = tile_bytes / sizeof(Accumulator);

/// Blocks of a piece.
template <class T>
[[nodiscard]] constexpr std::int64_t block_count(std::int64_t count)
{
    return count / block_elements<T> + (count % block_elements<T> != 0);
}

} // namespace rankfold::host

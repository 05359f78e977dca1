// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a workspace is laid out. Every part has its place whatever the count of the call, so that calls of any
// size can share a workspace; stamped and plain words never share memory, since a plain word could be taken
// for a stamped one.
//
//   control                                                       draws, the epoch, tickets
//   partials of chunks, or of tiles on chip                       stamped; as many as the tuning row says
//   posts to tiles on chip                                        stamped; zero between launches
//   group records: Group stamped folds of tiles, Group plain ones, the plain fold of the group, its arrivals
#pragma once

#include "rankfold/device/control.cuh"
#include "rankfold/device/tuning.hpp"

namespace rankfold::device {

/// What scans keep of their tiles.
template <class T, int Group>
struct tile_table {
    static constexpr int group_tiles = Group;
    static constexpr int stamped = stamped_words<T>;
    static constexpr int plain = plain_words<T>;
    static constexpr int per_lane = folds_per_lane(stamped, Group);
    static constexpr int next_in_lane = Group / per_lane * stamped; ///< words from a tile to the lane's next
    static_assert(Group % per_lane == 0);
    /// Words of a group record, even, so that records are 16-byte aligned.
    static constexpr int stride = (Group * (stamped + plain) + plain + 2) / 2 * 2;

    std::uint64_t* words;

    RANKFOLD_DEVICE std::uint64_t* stamped_fold(std::int64_t tile) const
    {
        // A lane of a look-back takes consecutive tiles; lanes side by side find theirs side by side.
        const std::int64_t member = tile % Group;
        return words + tile / Group * stride + member % per_lane * next_in_lane + member / per_lane * stamped;
    }
    RANKFOLD_DEVICE std::uint64_t* fold(std::int64_t tile) const
    {
        return words + tile / Group * stride + Group * stamped + tile % Group * plain;
    }
    RANKFOLD_DEVICE std::uint64_t* group(std::int64_t g) const
    {
        return words + g * stride + Group * (stamped + plain);
    }
    /// Tiles of the group that were folded; zero between launches.
    RANKFOLD_DEVICE std::uint32_t* arrivals(std::int64_t g) const
    {
        return reinterpret_cast<std::uint32_t*>(group(g) + plain);
    }
    /// Of the words of so many tiles.
    RANKFOLD_DEVICE const std::uint64_t* end(std::int64_t tiles) const { return words + bytes(tiles) / 8; }

    RANKFOLD_HOST_DEVICE static constexpr std::size_t bytes(std::int64_t tiles)
    {
        return static_cast<std::size_t>((tiles + Group - 1) / Group) * stride * 8;
    }
};

/// 64-bit words of the post of a tile on chip.
template <class T>
inline constexpr int post_words = stamped_words<partial<T>>;

/// The parts of a workspace, from its address.
template <class T, int Chunks, int Group>
class workspace_view {
public:
    using table_type = tile_table<T, Group>;
    static_assert(onchip_tiles <= Chunks);

    explicit workspace_view(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

    [[nodiscard]] device::control* control() const { return reinterpret_cast<device::control*>(memory_); }
    [[nodiscard]] std::uint64_t* partials() const { return words_at(sizeof(device::control)); }
    [[nodiscard]] std::uint64_t* posts() const { return words_at(posts_offset); }
    [[nodiscard]] table_type table() const { return {words_at(table_offset)}; }

    /// Of a workspace with room for so many tiles.
    static std::size_t bytes(std::int64_t tiles) { return table_offset + table_type::bytes(tiles); }

private:
    static constexpr std::size_t posts_offset =
        sizeof(device::control) + std::size_t{Chunks} * stamped_words<T> * 8;
    static constexpr std::size_t table_offset = posts_offset + std::size_t{onchip_tiles} * post_words<T> * 8;
    static_assert(posts_offset % 16 == 0 && table_offset % 16 == 0, "stamped words are moved in pairs");

    [[nodiscard]] std::uint64_t* words_at(std::size_t offset) const
    {
        return reinterpret_cast<std::uint64_t*>(memory_ + offset);
    }

    std::byte* memory_;
};

} // namespace rankfold::device

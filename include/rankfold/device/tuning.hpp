// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every number of the one-GPU algorithms. Results depend on element index and on these rows, on nothing else;
// so one row serves all GPUs, and a row that changes is a change of bits (floating sums) that the changelog
// mentions.
#pragma once

#include "rankfold/config.hpp"

#include <cstddef>
#include <cstdint>

namespace rankfold::device {

/// How a piece is cut for a reduction. A pass is threads * vector * rows elements: what a block has in
/// flight.
struct reduce_tuning {
    int threads;        ///< of a block
    int vector;         ///< consecutive elements of a lane in a row
    int rows;           ///< vectors of a lane in a pass
    int resident;       ///< blocks on a multiprocessor
    int chunks;         ///< of a large piece, drawn by blocks that have no more
    int few = 0;        ///< of a short or middling piece; no more than are resident at once
    int few_passes = 0; ///< of a chunk in a middling piece, at most
};

/// How a piece is cut for a scan. A tile is threads * vector * rows elements.
struct scan_tuning {
    int threads;
    int vector;
    int rows;
    int resident;
    int group;      ///< tiles whose fold is one step of a carry; at most the lanes of a warp
    int rounds = 1; ///< in which a look-back asks for groups, at once; no influence on results

    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr std::int64_t tile() const
    {
        return std::int64_t{threads} * vector * rows;
    }
};

/// How a piece is cut for the bulk form of the look-back scan. A tile is `strips` strips, one for each
/// scanning warp, of lane_elements elements per lane; `stages` tiles of a block are in flight in shared
/// memory.
struct bulk_tuning {
    int lane_elements;
    int strips;   ///< a power of two, at most the lanes of a warp
    int stages;   ///< a multiple of reducers, at most the lanes of a warp
    int landing;  ///< of them, the most that are being copied at a time
    int reducers; ///< warps that fold tiles
    int group;    ///< tiles whose folds lie together
};

/// Elements of 16 bytes together, where that comes out even.
constexpr int vector_of(std::size_t element_bytes)
{
    return element_bytes < 16 && 16 % element_bytes == 0 ? static_cast<int>(16 / element_bytes) : 1;
}

/// Reductions read 64 bytes a lane and pass. H200, 2026-11-29: float and double, 1 GiB, 4.38 TB/s, 0.98 of
/// the read peak; up to 264 * 16 passes one chunk for each of 264 resident blocks (8 Mi floats: 7.3 us, by
/// draws 9.4).
constexpr reduce_tuning reduce_row(std::size_t input_bytes)
{
    const int vector = vector_of(input_bytes);
    const int lane_bytes = vector * static_cast<int>(input_bytes);
    return {.threads = 512,
            .vector = vector,
            .rows = lane_bytes > 32   ? 1
                    : lane_bytes > 16 ? 2
                                      : 4,
            .resident = 2,
            .chunks = 1056,
            .few = 264,
            .few_passes = 16};
}

/// Elements of a lane in a row, and rows, so that a lane holds so many registers of results in `rows`
/// vectors.
constexpr scan_tuning registers_row(std::size_t input_bytes, std::size_t accumulator_bytes,
                                    std::size_t output_bytes, int registers)
{
    const int vector = vector_of(input_bytes > output_bytes ? input_bytes : output_bytes);
    const int used = vector * static_cast<int>((accumulator_bytes + 3) / 4);
    return {.threads = 0,
            .vector = vector,
            .rows = used < registers ? registers / used : 1,
            .resident = 0,
            .group = 0};
}

/// The register form of the look-back scan: 16 registers of results a lane. H200, 2026-11-30, float, in a
/// graph: 1 Ki 3.2 us, 64 Ki 3.5 us, 1 Mi 5.0 us, 2 Mi 7.5 us, 4 Mi 11.5 us (the last by draws); 32 registers
/// are slower up to 512 Ki, two rows up to 32 Ki faster (2026-11-29).
constexpr scan_tuning scan_row(std::size_t input_bytes, std::size_t accumulator_bytes,
                               std::size_t output_bytes, int warp)
{
    scan_tuning row = registers_row(input_bytes, accumulator_bytes, output_bytes, 16);
    row.threads = 512;
    row.resident = 2;
    row.group = warp;
    return row;
}

/// The on-chip form of a scan on several ranks: every tile in registers. 16 registers of results a lane, as
/// scan_row; by reasoning, since that row was measured in the same shape without an exchange.
constexpr scan_tuning onchip_row(std::size_t input_bytes, std::size_t accumulator_bytes,
                                 std::size_t output_bytes, int warp)
{
    return scan_row(input_bytes, accumulator_bytes, output_bytes, warp);
}

/// The same for longer pieces: one block on a multiprocessor, 80 registers of results and of what stands
/// before each row, which leaves 48 for addresses and the rest; two blocks of half as many hold as much, and
/// spill. By reasoning.
constexpr scan_tuning wide_onchip_row(std::size_t input_bytes, std::size_t accumulator_bytes,
                                      std::size_t output_bytes, int warp)
{
    scan_tuning row = onchip_row(input_bytes, accumulator_bytes, output_bytes, warp);
    const int registers = (row.vector + 1) * static_cast<int>((accumulator_bytes + 3) / 4);
    row.rows = registers < 80 ? 80 / registers : 1;
    row.resident = 1;
    return row;
}

/// Most tiles of a piece that is scanned on chip: what 128 multiprocessors hold. Not more than a block has
/// threads, nor than a reduction has chunks.
inline constexpr int onchip_tiles = 256;
inline constexpr int wide_onchip_tiles = 128;

/// The two passes of a scan on several ranks: 32 registers of results a lane, tiles of 32 KiB. H200,
/// 2026-11-30: float, 1 GiB: 0.97 of copy counted at 3n; with loads and stores that the cache drops first
/// 0.94.
constexpr scan_tuning two_pass_row(std::size_t input_bytes, std::size_t accumulator_bytes,
                                   std::size_t output_bytes, int warp)
{
    scan_tuning row = registers_row(input_bytes, accumulator_bytes, output_bytes, 32);
    row.threads = 256;
    row.resident = 3;
    row.group = warp;
    return row;
}

/// The bulk form: lanes of 176 bytes; of 112 in twice the strips where elements have 8, of 208 where they
/// have more, since folds of more words mean fewer tiles; of 80 where they are narrow and there are more of
/// them. Tiles of 22, 28, 26 and 20 KiB, lanes of odd numbers of 16-byte words. H200, 2026-11-30, 1 GiB, each
/// after a kernel that had filled the cache with something else, share of copy: float 0.95, double 0.94 (by
/// the row for float 0.92), affine_map<double> 0.92, int16 0.92, int8 0.90. A copy by the same ring of
/// stages: 0.97 (12 KiB tiles: 0.99); by tiles that follow from the block index instead of a draw 0.93. Loads
/// that the cache drops first: float 0.92. More or fewer copies at once cost 0.01 to 0.04. Shorter tiles
/// leave the follower behind (14 KiB, float: 0.84); so do one window at once (0.84) and three (0.86). One
/// warp that publishes what stands before windows of 32 tiles, for all others to read: 0.87, double 0.76.
constexpr bulk_tuning bulk_row(std::size_t input_bytes, std::size_t accumulator_bytes,
                               std::size_t output_bytes, int warp)
{
    const auto widest = static_cast<int>(input_bytes > output_bytes ? input_bytes : output_bytes);
    if (widest > 8 || (widest > 4 && accumulator_bytes > 8)) { // 8 strips leave no room for wider folds
        return {.lane_elements = 208 / widest,
                .strips = 4,
                .stages = 7,
                .landing = 2,
                .reducers = 7,
                .group = warp};
    }
    if (widest > 4) {
        return {.lane_elements = 112 / widest,
                .strips = 8,
                .stages = 7,
                .landing = 2,
                .reducers = 7,
                .group = warp};
    }
    if (widest > 2) {
        return {.lane_elements = 176 / widest,
                .strips = 4,
                .stages = 9,
                .landing = 3,
                .reducers = 3,
                .group = warp};
    }
    return {.lane_elements = 80 / widest,
            .strips = 8,
            .stages = accumulator_bytes > 32 ? 5 : 10,
            .landing = 3,
            .reducers = 5,
            .group = warp};
}

/// How the first pass of a scan reads one of its tiles: in the widest vectors that a tile divides into.
constexpr reduce_tuning tile_fold_row(std::size_t input_bytes, const scan_tuning& scan)
{
    const int lane_elements = scan.vector * scan.rows;
    const int vector = vector_of(input_bytes) < lane_elements ? vector_of(input_bytes) : lane_elements;
    const int rows = lane_elements / vector < 8 ? lane_elements / vector : 8;
    return {.threads = scan.threads, .vector = vector, .rows = rows, .resident = 3, .chunks = 0};
}

/// Published folds of consecutive tiles that one lane of a look-back takes, as registers allow.
constexpr int folds_per_lane(int stamped_words, int group)
{
    return stamped_words > 4 || group % 4 != 0 ? 1 : 4;
}

/// Windows of folds that a follower asks for at once.
inline constexpr int windows_followed = 2;

/// Most shared memory of a block, sm_90.
inline constexpr std::size_t most_shared_bytes = std::size_t{227} * 1024;

/// Folds of groups that a thread asks for at once when they are scanned: as registers allow.
RANKFOLD_HOST_DEVICE constexpr int group_folds_ahead(int plain_words)
{
    return plain_words > 4 ? 1 : plain_words > 1 ? 4 : 8;
}

/// The forms of a scan on one rank.
enum class scan_form {
    registers, ///< lookback_scan_kernel; cooperative where every tile has a resident block, else by draws:
               ///< the same bits
    bulk,      ///< bulk_scan_kernel
};

/// Bytes of a piece (the wider of input and result) from which the bulk form is faster. H200, 2026-11-30,
/// float: 32 MiB 31 us in registers and 35 us in bulk; 48 MiB 43 us and 42 us; 16 MiB 11 us and 18 us.
inline constexpr std::int64_t bulk_crossover_bytes = std::int64_t{48} << 20;

/// Whether a kernel runs: `compiled_for` and `least` are compute capabilities (90 for 9.0), the bytes those
/// of its shared memory and of what a block can have.
constexpr bool can_run(int compiled_for, int least, std::size_t bytes, std::size_t most_bytes)
{
    return compiled_for >= least && bytes <= most_bytes;
}

/// The form for a piece. By its size and by whether there is a bulk form (can_run) alone, since forms differ
/// in bits.
constexpr scan_form select_scan(std::int64_t widest_bytes, bool has_bulk)
{
    return has_bulk && widest_bytes >= bulk_crossover_bytes ? scan_form::bulk : scan_form::registers;
}

/// The forms of a scan on one of several ranks.
enum class rank_scan_form {
    onchip,      ///< onchip_scan_kernel; one cooperative launch where every tile has a resident block, else
                 ///< two: the same bits
    wide_onchip, ///< the same with longer tiles
    two_passes,  ///< tile_reduce_kernel and tile_scan_kernel
};

/// The form for a piece; by its length alone, since forms differ in bits. Arguments: elements of a tile.
constexpr rank_scan_form select_rank_scan(std::int64_t count, std::int64_t onchip_tile,
                                          std::int64_t wide_onchip_tile)
{
    return count <= onchip_tiles * onchip_tile             ? rank_scan_form::onchip
           : count <= wide_onchip_tiles * wide_onchip_tile ? rank_scan_form::wide_onchip
                                                           : rank_scan_form::two_passes;
}

/// Threads of the small kernels around an exchange. By reasoning: a warp for each rank of a node, and words
/// of 64 doubles of two ranks in two looks.
inline constexpr int lift_threads = 256;
inline constexpr int exchange_threads = 128;
inline constexpr int fold_threads = 256;

/// Words of the records of all ranks that an exchange keeps in shared memory; more go through device memory.
/// By reasoning: one double each from 72 ranks.
inline constexpr int staged_words = 256;

} // namespace rankfold::device

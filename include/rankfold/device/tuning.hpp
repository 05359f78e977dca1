// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every number of the one-GPU algorithms. Results depend on element index and on these rows, on nothing else;
// so one row serves all GPUs, and a row that changes is a change of bits (floating sums) that the changelog
// mentions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankfold::device {

/// How a piece is cut for a reduction. A pass is threads * vector * rows elements: what a block has in
/// flight.
struct reduce_tuning {
    int threads;  ///< of a block
    int vector;   ///< consecutive elements of a lane in a row
    int rows;     ///< vectors of a lane in a pass
    int resident; ///< blocks on a multiprocessor
    int chunks;   ///< of a large piece, taken by ticket
    int few = 0;  ///< of a middling piece, one for each resident block: no ticket
    int few_passes = 0; ///< of a chunk in a middling piece, at most
};

/// How a piece is cut for a scan. A tile is threads * vector * rows elements.
struct scan_tuning {
    int threads;
    int vector;
    int rows;
    int resident;
    int group; ///< tiles whose fold is one step of a carry; at most the lanes of a warp
    int ahead = 4; ///< groups that a look-back asks for at once; no influence on results

    [[nodiscard]] constexpr std::int64_t tile() const { return std::int64_t{threads} * vector * rows; }
};

/// How a piece is cut for the bulk form of the look-back scan. A tile is vector * rows * batches elements per
/// lane of a warp; `stages` of them are in flight in shared memory.
struct bulk_tuning {
    int vector;
    int rows; ///< vectors of a lane in registers at once
    int batches;
    int stages;   ///< a multiple of lookers, reducers and scanners
    int reducers; ///< warps that fold tiles
    int scanners; ///< warps that scan tiles and store them
    int group;
    int ahead = 6;   ///< groups that a look-back asks for at once; no influence on results
    int lookers = 1; ///< warps that look back, each for every so many-th tile of the block
};

/// Elements of 16 bytes together, where that comes out even.
constexpr int vector_of(std::size_t element_bytes)
{
    return element_bytes < 16 && 16 % element_bytes == 0 ? static_cast<int>(16 / element_bytes) : 1;
}

/// Reductions read 64 bytes a lane and pass.
/// H200, unmeasured: first guess after the prototypes.
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
            .chunks = 2112};
}

/// Scans hold a tile in registers: 64 bytes a lane of the widest of input, accumulator and result; 128 where
/// a result has eight times the bytes of an input, which would make tiles of few input bytes. H200,
/// unmeasured: first guess after the prototypes.
constexpr scan_tuning scan_row(std::size_t input_bytes, std::size_t accumulator_bytes,
                               std::size_t output_bytes, int warp)
{
    const std::size_t widest = input_bytes > output_bytes ? input_bytes : output_bytes;
    const std::size_t registers = accumulator_bytes > 4 ? accumulator_bytes : 4;
    const int vector = vector_of(widest);
    const int lane_bytes = vector * static_cast<int>(registers > widest ? registers : widest);
    const int rows = lane_bytes > 32 ? 1 : lane_bytes > 16 ? 2 : output_bytes < 8 * input_bytes ? 4 : 8;
    return {.threads = 256, .vector = vector, .rows = rows, .resident = 3, .group = warp, .ahead = 4};
}

/// The bulk form: stages of 24 KiB of the wider of input and result, 216 KiB together; 32 registers of a lane
/// at once. H200, prototype: 3.95 TB/s of 4.24 TB/s copied, float sum of 2^28 elements.
constexpr bulk_tuning bulk_row(std::size_t input_bytes, std::size_t accumulator_bytes,
                               std::size_t output_bytes, int warp)
{
    const auto widest = static_cast<int>(input_bytes > output_bytes ? input_bytes : output_bytes);
    const int vector = vector_of(static_cast<std::size_t>(widest));
    const int registers = vector * static_cast<int>((accumulator_bytes + 3) / 4);
    const int rows = registers > 16 ? 1 : registers > 8 ? 2 : registers > 4 ? 4 : 8;
    const int batches = 24 * 1024 / (widest * vector * rows * warp);
    return {.vector = vector,
            .rows = rows,
            .batches = batches,
            .stages = 9,
            .reducers = 3,
            .scanners = 9,
            .group = warp,
            .ahead = 6,
            .lookers = 1};
}

/// How the first pass of a scan reads one of its tiles: in the widest vectors that a tile divides into.
constexpr reduce_tuning tile_fold_row(std::size_t input_bytes, const scan_tuning& scan)
{
    const int lane_elements = scan.vector * scan.rows;
    const int vector = vector_of(input_bytes) < lane_elements ? vector_of(input_bytes) : lane_elements;
    const int rows = lane_elements / vector < 4 ? lane_elements / vector : 4;
    return {.threads = scan.threads, .vector = vector, .rows = rows, .resident = 4, .chunks = 0};
}

/// Folds of groups that a thread asks for at once when they are scanned: as registers allow.
constexpr int group_folds_ahead(int plain_words)
{
    return plain_words > 4 ? 1 : plain_words > 1 ? 4 : 8;
}

/// The forms of a scan on one rank.
enum class scan_form {
    registers, ///< lookback_scan_kernel; cooperative where every tile has a resident block, else by ticket:
               ///< the same bits
    bulk,      ///< bulk_scan_kernel
};

/// Bytes of a piece (the wider of input and result) from which the bulk form is faster. Unmeasured: first
/// guess.
inline constexpr std::int64_t bulk_crossover_bytes = std::int64_t{8} << 20;

/// The form for a piece. By its size and the generation of the GPU alone, since forms differ in bits.
constexpr scan_form select_scan(std::int64_t widest_bytes, int capability)
{
    return capability >= 90 && widest_bytes >= bulk_crossover_bytes ? scan_form::bulk : scan_form::registers;
}

/// Threads of the small kernels around an exchange.
inline constexpr int lift_threads = 128;
inline constexpr int fold_threads = 256;

} // namespace rankfold::device

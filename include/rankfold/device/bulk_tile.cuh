// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tile in a stage of shared memory, as one warp loads, folds or scans it.
//
//   load   the 16-byte blocks that lie inside the piece by one bulk copy; what does not fill one at the ends
//   of the piece
//          by single elements
//   fold   rows over the lanes (range_fold.cuh)
//   scan   batch by batch: serial in the lane, over the lanes by shuffles for all rows of the batch at once,
//   then over the
//          rows, with what stands before from batch to batch
#pragma once

#include "rankfold/device/range_fold.cuh"

namespace rankfold::device {

template <Algebra A, bulk_tuning Tuning>
class bulk_tile {
public:
    using input = typename A::input;
    using accumulator = typename A::accumulator;
    using output = typename A::output;
    static constexpr int vector = Tuning.vector;
    static constexpr int rows = Tuning.rows;
    static constexpr int row = vector * simt::warp_size;
    static constexpr int batch = row * rows;
    static constexpr int elements = batch * Tuning.batches;
    static constexpr std::uint32_t quantum = 16; ///< bytes: alignment and unit of bulk copies
    static_assert(elements * sizeof(input) % quantum == 0);

    /// The elements, behind a shift of less than 16 bytes.
    struct buffer {
        alignas(quantum) unsigned char bytes[elements * sizeof(input) + quantum];
    };

    /// One lane: starts the copy of tile number `tile`, which completes on `full`.
    RANKFOLD_DEVICE static void load(buffer& to, const input* data, std::int64_t tile, std::int64_t count,
                                     simt::mbarrier& full)
    {
        const std::int64_t first = tile * elements;
        const std::int64_t last = first + elements < count ? first + elements : count;
        const auto shift = shift_of(data);
        const unsigned char* const from = reinterpret_cast<const unsigned char*>(data + first);
        const auto bytes = static_cast<std::uint32_t>((last - first) * sizeof(input));
        // Offsets from the aligned address below `from`. Blocks that reach into neighbouring tiles are copied
        // whole, those that reach out of the piece are not.
        const std::uint32_t begin = shift != 0 && first == 0 ? quantum : 0;
        const std::uint32_t wanted = (shift + bytes + quantum - 1) / quantum * quantum;
        const std::int64_t inside =
            (shift + (count - first) * static_cast<std::int64_t>(sizeof(input))) / quantum * quantum;
        const std::uint32_t end = inside < wanted ? static_cast<std::uint32_t>(inside) : wanted;
        copy_outside(to, from, shift, bytes, begin, end);
        if (begin < end) {
            full.arrive_expect(end - begin);
            simt::bulk_load(to.bytes + begin, from - shift + begin, end - begin, full);
        } else {
            full.arrive();
        }
    }

    RANKFOLD_DEVICE bulk_tile(const A& algebra, const buffer& from, const input* data, std::int64_t tile,
                              std::int64_t count)
        : algebra_(algebra), source_(from.bytes + shift_of(data), shift_of(data) == 0),
          first_(tile * elements), count_(count - tile * elements)
    {
    }

    /// The fold of a whole tile, in lane 0.
    RANKFOLD_DEVICE accumulator fold(const simt::block& block) const
    {
        const partial<accumulator> mine =
            row_fold<A, source, vector, rows>{algebra_, source_, first_}.run(block, 0, elements, batch);
        return A::commutative ? warp_fold(block, algebra_, mine.value()) : mine.value();
    }

    /// Scans and stores. `total` is null or takes the last result of the piece, which is in this tile.
    template <class Sink>
    RANKFOLD_DEVICE void scan(const simt::block& block, const partial<accumulator>& carry, bool inclusive,
                              const Sink& sink, void* total) const
    {
        partial<accumulator> before = carry;
        const int limit = count_ < elements ? static_cast<int>(count_) : elements;
        RANKFOLD_NO_UNROLL
        for (int at = 0; at < limit; at += batch) {
            if (before.has_value() && at + batch <= limit && total == nullptr) {
                before = partial<accumulator>(scan_whole_batch(block, at, before.value(), inclusive, sink));
            } else {
                scan_batch(block, at, before, inclusive, sink, total);
            }
        }
    }

private:
    using source = contiguous<input, simt::cache::normal>;

    const A& algebra_;
    source source_;
    std::int64_t first_; ///< element of the piece
    std::int64_t count_; ///< elements of the piece from there

    RANKFOLD_DEVICE static std::uint32_t shift_of(const input* data)
    {
        return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(data) % quantum);
    }

    /// Bytes of the tile outside [begin, end), counted from the aligned address below it: at most 30, at the
    /// ends of a piece.
    RANKFOLD_DEVICE static void copy_outside(buffer& to, const unsigned char* from, std::uint32_t shift,
                                             std::uint32_t bytes, std::uint32_t begin, std::uint32_t end)
    {
        using word = typename contiguous<input>::narrow_word;
        for (std::uint32_t b = 0; b < bytes; b += sizeof(word)) {
            const std::uint32_t at = shift + b;
            if (at >= begin && at < end) {
                b = end - shift - sizeof(word);
                continue;
            }
            *reinterpret_cast<word*>(to.bytes + at) =
                simt::load<simt::cache::streaming>(reinterpret_cast<const word*>(from + b));
        }
    }

    RANKFOLD_DEVICE void load_rows(const simt::block& block, int at,
                                   lane_vector<input, vector> (&x)[rows]) const
    {
        if (count_ >= elements) {
            RANKFOLD_UNROLL
            for (int r = 0; r < rows; ++r) {
                source_.load(at + r * row + block.lane() * vector, x[r]);
            }
            return;
        }
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            RANKFOLD_UNROLL
            for (int v = 0; v < vector; ++v) {
                const std::int64_t i = at + r * row + block.lane() * vector + v;
                x[r].at[v].value = source_[i < count_ ? i : count_ - 1];
            }
        }
    }

    /// What is lifted in the lane's vectors, scanned within the lane, and the rows' lanes up to and with this
    /// one.
    RANKFOLD_DEVICE void scan_lanes(const simt::block& block, int at,
                                    const lane_vector<input, vector> (&x)[rows],
                                    uninitialised<accumulator> (&results)[rows][vector],
                                    uninitialised<accumulator> (&lanes)[rows]) const
    {
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            const std::int64_t index = first_ + at + r * row + block.lane() * vector;
            results[r][0].value = algebra_.lift(x[r].at[0].value, index);
            RANKFOLD_UNROLL
            for (int v = 1; v < vector; ++v) {
                results[r][v].value =
                    algebra_.combine(results[r][v - 1].value, algebra_.lift(x[r].at[v].value, index + v));
            }
            lanes[r] = results[r][vector - 1];
        }
        warp_scan_rows(block, algebra_, lanes);
    }

    /// A batch of which every element exists, behind a carry that is there; returns what stands before the
    /// next.
    template <class Sink>
    RANKFOLD_DEVICE accumulator scan_whole_batch(const simt::block& block, int at, const accumulator& carry,
                                                 bool inclusive, const Sink& sink) const
    {
        lane_vector<input, vector> x[rows];
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            source_.load(at + r * row + block.lane() * vector, x[r]);
        }
        uninitialised<accumulator> results[rows][vector];
        uninitialised<accumulator> lanes[rows];
        scan_lanes(block, at, x, results, lanes);
        uninitialised<accumulator> left[rows];
        accumulator before = carry;
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            const accumulator below = block.shuffle_up(lanes[r].value, 1);
            left[r].value = block.lane() > 0 ? algebra_.combine(before, below) : before;
            before = algebra_.combine(before, block.shuffle(lanes[r].value, simt::warp_size - 1));
        }
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            RANKFOLD_UNROLL
            for (int v = 0; v < vector; ++v) {
                results[r][v].value = algebra_.combine(left[r].value, results[r][v].value);
            }
        }
        if (inclusive) {
            RANKFOLD_UNROLL
            for (int r = 0; r < rows; ++r) {
                lane_vector<output, vector> y;
                RANKFOLD_UNROLL
                for (int v = 0; v < vector; ++v) {
                    y.at[v].value = algebra_.lower(results[r][v].value);
                }
                sink.store(first_ + at + r * row + block.lane() * vector, y);
            }
        } else {
            RANKFOLD_UNROLL
            for (int r = 0; r < rows; ++r) {
                lane_vector<output, vector> y;
                RANKFOLD_UNROLL
                for (int v = 0; v < vector; ++v) {
                    const accumulator& mine = v == 0 ? left[r].value : results[r][v > 0 ? v - 1 : 0].value;
                    y.at[v].value = algebra_.lower(mine);
                }
                sink.store(first_ + at + r * row + block.lane() * vector, y);
            }
        }
        return before;
    }

    template <class Sink>
    RANKFOLD_DEVICE void scan_batch(const simt::block& block, int at, partial<accumulator>& before,
                                    bool inclusive, const Sink& sink, void* total) const
    {
        lane_vector<input, vector> x[rows];
        load_rows(block, at, x);
        uninitialised<accumulator> results[rows][vector]; // inclusive: first in the lane, later in the piece
        uninitialised<accumulator> lanes[rows];           // the row up to and with this lane
        scan_lanes(block, at, x, results, lanes);
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            finish_row(block, at + r * row + block.lane() * vector, lanes[r].value, before, inclusive,
                       results[r], sink, total);
        }
    }

    /// Combines in what stands before the row, stores it, and leaves in `before` what stands before the next.
    template <class Sink>
    RANKFOLD_DEVICE void finish_row(const simt::block& block, int at, const accumulator& lanes,
                                    partial<accumulator>& before, bool inclusive,
                                    uninitialised<accumulator> (&results)[vector], const Sink& sink,
                                    void* total) const
    {
        partial<accumulator> left = before;
        const accumulator below = block.shuffle_up(lanes, 1);
        if (block.lane() > 0) {
            left.append(algebra_, partial<accumulator>(below));
        }
        if (left.has_value()) {
            RANKFOLD_UNROLL
            for (int v = 0; v < vector; ++v) {
                results[v].value = algebra_.combine(left.value(), results[v].value);
            }
        }
        before.append(algebra_, partial<accumulator>(block.shuffle(lanes, simt::warp_size - 1)));
        lane_vector<output, vector> y;
        if (inclusive) {
            RANKFOLD_UNROLL
            for (int v = 0; v < vector; ++v) {
                y.at[v].value = algebra_.lower(results[v].value);
            }
        } else {
            if (left.has_value()) {
                y.at[0].value = algebra_.lower(left.value());
            } else if constexpr (A::has_identity) {
                y.at[0].value = algebra_.lower(algebra_.identity());
            }
            RANKFOLD_UNROLL
            for (int v = 1; v < vector; ++v) {
                y.at[v].value = algebra_.lower(results[v - 1].value);
            }
        }
        store_row(at, y, results, sink, total);
    }

    template <class Sink>
    RANKFOLD_DEVICE void store_row(int at, const lane_vector<output, vector>& y,
                                   const uninitialised<accumulator> (&results)[vector], const Sink& sink,
                                   void* total) const
    {
        if (at + vector <= count_) {
            sink.store(first_ + at, y);
        } else {
            sink.store_some(first_ + at, first_ + count_, y);
        }
        if (total != nullptr && at < count_ && count_ <= at + vector) {
            RANKFOLD_UNROLL
            for (int v = 0; v < vector; ++v) {
                if (at + v == count_ - 1) {
                    *static_cast<output*>(total) = algebra_.lower(results[v].value);
                }
            }
        }
    }
};

} // namespace rankfold::device

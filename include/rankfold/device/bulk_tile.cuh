// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tile in a stage of shared memory, as one warp loads or folds it, or scans one strip of it.
//
//   load   the 16-byte blocks that lie inside the piece by one bulk copy; what does not fill one at the ends
//          of the piece by single elements.
//   fold   serial in the lane, for all strips; over the lanes by shuffles for all strips at once.
//   scan   a strip: serial in the lane, over the lanes by shuffles; the results go through shared memory, so
//          that rows of the whole warp are stored.
//
// In a strip a lane owns consecutive elements: an odd number of 16-byte words where that comes out even
// (bulk_row), so that shared memory has no bank conflicts.
#pragma once

#include "rankfold/device/lane.cuh"
#include "rankfold/device/source.cuh"
#include "rankfold/device/tuning.hpp"
#include "rankfold/device/warp.cuh"

namespace rankfold::device {

template <Algebra A, bulk_tuning Tuning>
class bulk_tile {
public:
    using input = typename A::input;
    using accumulator = typename A::accumulator;
    using output = typename A::output;
    static constexpr int lane_elements = Tuning.lane_elements;
    static constexpr int strips = Tuning.strips;
    static constexpr int strip = lane_elements * simt::warp_size;
    static constexpr int elements = strip * strips;
    static constexpr std::uint32_t quantum = 16; ///< bytes: alignment and unit of bulk copies
    static_assert(elements * sizeof(input) % quantum == 0);

    /// The elements, behind a shift of less than 16 bytes.
    struct buffer {
        alignas(128) unsigned char bytes[elements * sizeof(input) + quantum]; // aligned: copies land faster
    };
    /// The results of a strip on their way to the sink.
    struct results_buffer {
        alignas(16) unsigned char bytes[strip * sizeof(output)];
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

    /// The fold of the tile up to and with strip number `lane`, in the lanes of strips that have elements.
    RANKFOLD_DEVICE accumulator fold_strips(const simt::block& block) const
    {
        uninitialised<accumulator> mine; // of strip number `lane`
        if (count_ >= elements) {
            uninitialised<accumulator> folds[strips];
            RANKFOLD_UNROLL
            for (int s = 0; s < strips; ++s) {
                lane_elements_type x;
                source_.load(s * strip + block.lane() * lane_elements, x);
                folds[s].value = lane::fold(algebra_, x, first_ + s * strip + block.lane() * lane_elements);
            }
            mine.value = warp_fold_many<strips>(block, algebra_, folds);
        } else {
            RANKFOLD_NO_UNROLL
            for (int s = 0; s * strip < count_; ++s) {
                const accumulator all = block.shuffle(fold_some(block, s * strip), 0);
                if (block.lane() == s) {
                    mine.value = all;
                }
            }
        }
        RANKFOLD_UNROLL
        for (int delta = 1; delta < strips; delta *= 2) {
            const accumulator left = block.shuffle_up(mine.value, delta);
            if (block.lane() >= delta) {
                mine.value = algebra_.combine(left, mine.value);
            }
        }
        return mine.value;
    }

    /// Scans and stores strip number `number`. `before`: what stands before it; absent at the left end of the
    /// global array. `total` is null or takes the last result of the piece, if that is in this strip.
    template <class Sink>
    RANKFOLD_DEVICE void scan_strip(const simt::block& block, int number, const partial<accumulator>& before,
                                    bool inclusive, const Sink& sink, void* total,
                                    results_buffer& space) const
    {
        const int at = number * strip;
        if (before.has_value() && at + strip <= count_ && total == nullptr) {
            scan_whole(block, at, before.value(), inclusive, space);
            store<true>(block, at, sink, space);
        } else if (at < count_) {
            scan_some(block, at, before, inclusive, total, space);
            store<false>(block, at, sink, space);
        }
    }

private:
    using source = contiguous<input>;
    using lane_elements_type = lane_vector<input, lane_elements>;
    using lane_results = lane_vector<output, lane_elements>;
    using lane = lane_work<A, lane_elements>;

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
            *reinterpret_cast<word*>(to.bytes + at) = simt::load(reinterpret_cast<const word*>(from + b));
        }
    }

    /// The fold of the elements that exist of the strip at `at`, at least one; in lane 0.
    RANKFOLD_DEVICE accumulator fold_some(const simt::block& block, int at) const
    {
        const int mine = at + block.lane() * lane_elements;
        const std::int64_t left = count_ - at;
        const std::int64_t owners = (left + lane_elements - 1) / lane_elements;
        partial<accumulator> all;
        RANKFOLD_NO_UNROLL
        for (int e = 0; e < lane_elements && mine + e < count_; ++e) {
            all.append(algebra_, partial<accumulator>(algebra_.lift(source_[mine + e], first_ + mine + e)));
        }
        return warp_fold(block, algebra_, all.value(),
                         owners < simt::warp_size ? static_cast<int>(owners) : simt::warp_size);
    }

    /// A strip of which every element exists, behind a carry that is there.
    RANKFOLD_DEVICE void scan_whole(const simt::block& block, int at, const accumulator& carry,
                                    bool inclusive, results_buffer& space) const
    {
        const int mine = block.lane() * lane_elements;
        lane_elements_type x;
        source_.load(at + mine, x);
        typename lane::prefixes prefixes;
        const accumulator upto =
            warp_scan(block, algebra_, lane::scan(algebra_, x, first_ + at + mine, prefixes));
        const accumulator below = block.shuffle_up(upto, 1);
        const accumulator left = block.lane() > 0 ? algebra_.combine(carry, below) : carry;
        lane_results y;
        if (inclusive) {
            lane::template finish<true>(algebra_, x, left, prefixes, y);
        } else {
            lane::template finish<false>(algebra_, x, left, prefixes, y);
        }
        put(y, mine, space);
    }

    RANKFOLD_DEVICE static void put(const lane_results& y, int mine, results_buffer& space)
    {
        using word = typename detail::word_of<detail::widest_word(sizeof(y))>::type;
        detail::store_words<word>(reinterpret_cast<output*>(space.bytes) + mine, y);
    }

    /// A strip at an end of the piece, element by element. Those that do not exist stand in as the last one
    /// that does.
    RANKFOLD_DEVICE void scan_some(const simt::block& block, int at, const partial<accumulator>& before,
                                   bool inclusive, void* total, results_buffer& space) const
    {
        const int mine = block.lane() * lane_elements;
        const auto lifted = [&](int e) {
            const std::int64_t i = at + mine + e < count_ ? at + mine + e : count_ - 1;
            return algebra_.lift(source_[i], first_ + i);
        };
        accumulator lane_upto = lifted(0);
        RANKFOLD_NO_UNROLL
        for (int e = 1; e < lane_elements; ++e) {
            lane_upto = algebra_.combine(lane_upto, lifted(e));
        }
        const accumulator below = block.shuffle_up(warp_scan(block, algebra_, lane_upto), 1);
        partial<accumulator> left = before;
        if (block.lane() > 0) {
            left.append(algebra_, partial<accumulator>(below));
        }
        // As in a whole strip: behind the lane's elements, then behind `left`.
        partial<accumulator> upto;
        partial<accumulator> all = left;
        RANKFOLD_NO_UNROLL
        for (int e = 0; e < lane_elements; ++e) {
            const partial<accumulator> exclusive = all;
            upto.append(algebra_, partial<accumulator>(lifted(e)));
            all = left;
            all.append(algebra_, upto);
            put_one(inclusive ? all : exclusive, mine + e, space);
            if (total != nullptr && at + mine + e == count_ - 1) {
                *static_cast<output*>(total) = algebra_.lower(all.value());
            }
        }
    }

    RANKFOLD_DEVICE void put_one(const partial<accumulator>& result, int at, results_buffer& space) const
    {
        output* const to = reinterpret_cast<output*>(space.bytes) + at;
        if (result.has_value()) {
            *to = algebra_.lower(result.value());
        } else if constexpr (A::has_identity) {
            *to = algebra_.lower(algebra_.identity());
        }
    }

    /// The strip at `at` from `space` to the sink, by rows of one word per lane.
    template <bool Whole, class Sink>
    RANKFOLD_DEVICE void store(const simt::block& block, int at, const Sink& sink,
                               results_buffer& space) const
    {
        using narrow_word = typename Sink::narrow_word;
        constexpr std::int64_t bytes = strip * sizeof(output);
        output* const to = sink.data + first_ + at;
        block.sync_warp();
        if (Whole && sink.aligned && bytes % sizeof(simt::vec16) == 0) {
            copy_rows<simt::vec16>(block, space, to, bytes);
        } else {
            const std::int64_t left = (count_ - at) * static_cast<std::int64_t>(sizeof(output));
            copy_rows<narrow_word>(block, space, to, left < bytes ? left : bytes);
        }
        block.sync_warp();
    }

    template <class Word>
    RANKFOLD_DEVICE static void copy_rows(const simt::block& block, const results_buffer& from, output* to,
                                          std::int64_t bytes)
    {
        constexpr int most = (sizeof(from.bytes) / sizeof(Word) + simt::warp_size - 1) / simt::warp_size;
        const int words = static_cast<int>(bytes / static_cast<std::int64_t>(sizeof(Word)));
        RANKFOLD_UNROLL
        for (int i = 0; i < most; ++i) {
            const int w = i * simt::warp_size + block.lane();
            if (w < words) {
                simt::store(reinterpret_cast<Word*>(to) + w, reinterpret_cast<const Word*>(from.bytes)[w]);
            }
        }
    }
};

} // namespace rankfold::device

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// tile_scan: the second pass of a scan on several ranks, after tile_reduce and the exchange.
//
//   1. One block per tile, from the last tile to the first, so that what the first pass left in the cache is
//      read from there.
//   2. The tile is loaded and scanned in registers (tile.cuh).
//   3. While the loads travel, the last warp puts the carry together: of the lower ranks, of the groups
//      before, of the tiles before in the group.
//   4. Each warp combines carry and warps to its left into its results and stores them.
//
// Traffic: each element is read once and written once. No block waits for another.
#pragma once

#include "rankfold/device/tile.cuh"
#include "rankfold/device/tile_reduce.cuh"

namespace rankfold::device {

template <Algebra A, Source S, scan_tuning Tuning>
struct tile_scan_kernel {
    using accumulator = typename A::accumulator;
    using tile_type = warp_tile<A, S, Tuning>;
    static constexpr int threads = Tuning.threads;
    static constexpr int resident = Tuning.resident;
    static constexpr int warps = threads / simt::warp_size;
    static constexpr int group = Tuning.group;

    struct arguments {
        A algebra;
        S source;
        contiguous_sink<typename A::output> sink;
        std::int64_t count;
        std::int64_t tiles;
        bool inclusive;
        const std::byte* carry; ///< record of what stands before the piece
        tile_table<accumulator, Tuning.group> table;
        const failure_word* failure;
    };

    struct storage {
        warp_prefixes<accumulator, warps> prefixes;
        partial<accumulator> carry;
        bool failed;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        for (std::int64_t i = block.index(); i < args.tiles; i += block.count()) {
            const std::int64_t tile = args.tiles - 1 - i;
            tile_type mine;
            mine.load(block, args.source, tile * Tuning.tile(), args.count);
            if (block.warp() == block.warps() - 1) {
                find_carry(block, args, shared, tile);
            }
            mine.scan(block, args.algebra);
            if (block.lane() == 0) {
                shared.prefixes.totals[block.warp()].value = mine.total();
            }
            block.sync();
            if (shared.failed) {
                return;
            }
            mine.store(block, args.algebra, shared.prefixes.before(block, args.algebra, shared.carry),
                       args.inclusive, args.sink, nullptr);
            block.sync();
        }
    }

private:
    RANKFOLD_DEVICE static void find_carry(const simt::block& block, const arguments& args, storage& shared,
                                           std::int64_t tile)
    {
        const std::int64_t mine = tile / group;
        const int rest = static_cast<int>(tile - mine * group);
        const int lane = block.lane() < rest ? block.lane() : 0;
        // Without tiles before it in the group, a tile's own fold is read and not used.
        const accumulator member = load_plain<accumulator>(args.table.fold(mine * group + lane));
        const accumulator fold = warp_fold(block, args.algebra, member, rest > 0 ? rest : 1);
        if (block.lane() == 0) {
            partial<accumulator> carry = read_record<accumulator>(args.carry);
            if (mine > 0) {
                carry.append(args.algebra,
                             partial<accumulator>(load_plain<accumulator>(args.table.group(mine))));
            }
            if (rest > 0) {
                carry.append(args.algebra, partial<accumulator>(fold));
            }
            shared.carry = carry;
            shared.failed = has_failed(args.failure);
        }
    }
};

} // namespace rankfold::device

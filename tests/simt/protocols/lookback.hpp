// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Decoupled look-back in its plain form: a tile publishes its aggregate, then walks back over its
// predecessors until one has an inclusive prefix. Data and flags lie in different words, so that their order
// matters. Source: Merrill, Garland, Single-pass parallel prefix scan with decoupled look-back, 2016.
#pragma once

#include "words.hpp"

namespace rankfold::simt::protocols {

template <mutation M = mutation::none>
struct lookback {
    struct arguments {
        const std::int32_t* input;
        std::uint64_t* output; ///< inclusive prefixes
        std::int32_t tiles;    ///< of threads() elements each
        std::uint32_t epoch;   ///< a new one for each launch: flags of older ones do not count
        std::uint64_t* aggregates;
        std::uint64_t* prefixes;
        std::uint32_t* flags;   ///< 2 * epoch: aggregate there; 2 * epoch + 1: prefix there
        std::uint32_t* tickets; ///< two words: taken, and blocks done
    };
    struct storage {
        std::uint64_t warp_partial[64];
        std::uint64_t carry;
        std::int32_t tile;
    };
    static constexpr int threads = 64;

    static void run(block& self, const arguments& args, storage& shared)
    {
        for (std::int32_t turn = 0;; ++turn) {
            if (self.thread() == 0) {
                shared.tile = M == mutation::tile_is_block_index
                                  ? self.index() + turn * self.count()
                                  : static_cast<std::int32_t>(atomic_add(&args.tickets[0], 1));
            }
            self.sync();
            const std::int32_t tile = shared.tile;
            if (tile >= args.tiles) {
                break;
            }
            scan_tile(self, args, shared, tile);
        }
        if (self.thread() == 0 && M != mutation::ticket_not_reset &&
            atomic_increment(&args.tickets[1], static_cast<std::uint32_t>(self.count() - 1)) ==
                static_cast<std::uint32_t>(self.count() - 1)) {
            store_relaxed<scope::device>(&args.tickets[0], 0);
        }
    }

private:
    static void scan_tile(block& self, const arguments& args, storage& shared, std::int32_t tile)
    {
        const std::int32_t i = tile * self.threads() + self.thread();
        interval mine{args.input[i], args.input[i] + 1};
        for (int delta = 1; delta < warp_size; delta *= 2) {
            const interval left = self.shuffle_up(mine, delta);
            mine = self.lane() >= delta ? append(left, mine) : mine;
        }
        if (self.lane() == warp_size - 1) {
            shared.warp_partial[self.warp()] = to_word(mine);
        }
        self.sync();
        interval left = nothing;
        interval all = nothing;
        for (int w = 0; w < self.warps(); ++w) {
            left = w == self.warp() ? all : left;
            all = append(all, to_interval(shared.warp_partial[w]));
        }
        if (self.thread() == 0) {
            shared.carry = to_word(look_back(args, tile, all));
        }
        self.sync();
        args.output[i] = to_word(append(to_interval(shared.carry), append(left, mine)));
    }

    static interval look_back(const arguments& args, std::int32_t tile, interval aggregate)
    {
        if (tile > 0) {
            publish(&args.aggregates[tile], to_word(aggregate), &args.flags[tile], 2 * args.epoch);
        }
        interval carry = nothing;
        for (std::int32_t t = tile - 1; t >= 0; --t) {
            std::uint32_t flag = 0;
            spin_until([&] {
                flag = load_relaxed<scope::device>(&args.flags[t]);
                return flag >= 2 * args.epoch;
            });
            if (M != mutation::no_acquire_fence) {
                fence<scope::device>();
            }
            const bool whole = flag % 2 == 1;
            carry = append(
                to_interval(load_relaxed<scope::device>(whole ? &args.prefixes[t] : &args.aggregates[t])),
                carry);
            if (whole) {
                break;
            }
        }
        publish(&args.prefixes[tile], to_word(append(carry, aggregate)), &args.flags[tile],
                2 * args.epoch + 1);
        return carry;
    }

    static void publish(std::uint64_t* where, std::uint64_t value, std::uint32_t* flag, std::uint32_t state)
    {
        if (M == mutation::flag_before_data) {
            store_relaxed<scope::device>(flag, state);
        }
        store_relaxed<scope::device>(where, value);
        if (M == mutation::narrow_fence) {
            fence<scope::block>();
        } else if (M != mutation::no_release_fence) {
            fence<scope::device>();
        }
        store_relaxed<scope::device>(flag, state);
    }
};

} // namespace rankfold::simt::protocols

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shape of the one-launch reduction: blocks leave partials, the last one to take a ticket folds them.
#pragma once

#include "words.hpp"

namespace rankfold::simt::protocols {

template <mutation M = mutation::none>
struct ticket_reduce {
    struct arguments {
        const std::int32_t* input;
        std::int32_t count;
        std::uint64_t* partials; ///< one per block
        std::uint32_t* ticket;   ///< 0; left at 0
        std::uint64_t* result;
    };
    struct storage {
        std::uint64_t warp_partial[64];
        std::uint32_t last;
    };
    static constexpr int threads = 64;

    static void run(block& self, const arguments& args, storage& shared)
    {
        const interval mine = fold_block(self, fold_chunk(self, args), shared);
        if (self.thread() == 0) {
            shared.last = publish(self, args, mine);
        }
        if (!(M == mutation::divergent_barrier && self.index() == 1 && self.warp() == 1)) {
            self.sync();
        }
        if (shared.last == 0) {
            return;
        }
        if (self.thread() == 0) {
            interval total = nothing;
            for (int b = 0; b < self.count(); ++b) {
                total = append(total, to_interval(load_relaxed<scope::device>(&args.partials[b])));
            }
            store_relaxed<scope::device>(args.result, to_word(total));
        }
    }

private:
    static interval fold_chunk(const block& self, const arguments& args)
    {
        const std::int32_t workers = self.count() * self.threads();
        const std::int32_t each = (args.count + workers - 1) / workers;
        const std::int32_t begin = (self.index() * self.threads() + self.thread()) * each;
        interval mine = nothing;
        for (std::int32_t i = begin; i < begin + each && i < args.count; ++i) {
            mine = append(mine, {args.input[i], args.input[i] + 1});
        }
        return mine;
    }

    static interval fold_block(block& self, interval mine, storage& shared)
    {
        if (!(M == mutation::lane_missing && self.lane() == 1 && self.index() == 0)) {
            mine = fold_warp(self, mine);
        }
        if (self.lane() == 0) {
            shared.warp_partial[self.warp()] = to_word(mine);
        }
        if (M != mutation::no_barrier) {
            self.sync();
        }
        interval all = nothing;
        for (int w = 0; w < self.warps(); ++w) {
            all = append(all, to_interval(shared.warp_partial[w]));
        }
        return all;
    }

    static std::uint32_t publish(const block& self, const arguments& args, interval mine)
    {
        store_relaxed<scope::device>(&args.partials[self.index()], to_word(mine));
        if (M == mutation::narrow_fence) {
            fence<scope::block>();
        } else if (M != mutation::no_release_fence) {
            fence<scope::device>();
        }
        const auto last = static_cast<std::uint32_t>(self.count() - 1);
        const std::uint32_t ticket = M == mutation::ticket_not_reset ? atomic_add(args.ticket, 1)
                                                                     : atomic_increment(args.ticket, last);
        if (M != mutation::no_acquire_fence) {
            fence<scope::device>();
        }
        return ticket == last ? 1 : 0;
    }
};

} // namespace rankfold::simt::protocols

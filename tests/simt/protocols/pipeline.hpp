// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A ring of stages in shared memory: warp 0 fills them by bulk copies, the other warps sum what has landed.
#pragma once

#include "words.hpp"

namespace rankfold::simt::protocols {

template <mutation M = mutation::none>
struct pipeline {
    static constexpr int stages = 3;
    static constexpr int tile = 32;
    static constexpr int threads = 64;

    struct arguments {
        const std::int32_t* input; ///< 16-byte aligned
        std::int64_t* sums;        ///< one per tile
        std::int32_t tiles;
    };
    struct storage {
        alignas(16) std::int32_t values[stages][tile];
        mbarrier full[stages];
        mbarrier empty[stages];
    };

    static void run(block& self, const arguments& args, storage& shared)
    {
        if (self.thread() == 0) {
            for (int s = 0; s < stages; ++s) {
                shared.full[s].init(1);
                shared.empty[s].init(1);
            }
            fence_mbarrier_init();
        }
        self.sync();
        if (self.warp() == 0) {
            fill(self, args, shared);
        } else {
            drain(self, args, shared);
        }
        self.sync_named(1, self.threads());
    }

private:
    static void fill(const block& self, const arguments& args, storage& shared)
    {
        if (self.lane() != 0) {
            return;
        }
        for (std::int32_t t = 0; t < args.tiles; ++t) {
            const int s = t % stages;
            const auto round = static_cast<std::uint32_t>(t / stages);
            if (M != mutation::stage_reused_early) {
                shared.empty[s].wait((round + (M == mutation::parity_off_by_one ? 0 : 1)) & 1);
            }
            shared.full[s].arrive_expect((M == mutation::missing_bytes ? tile / 2 : tile) *
                                         sizeof(std::int32_t));
            bulk_load(shared.values[s], &args.input[t * tile], tile * sizeof(std::int32_t), shared.full[s]);
        }
    }

    // The warps' number divides that of the stages: a stage is always drained by the same warp.
    static void drain(block& self, const arguments& args, storage& shared)
    {
        for (std::int32_t t = self.warp() - 1; t < args.tiles; t += self.warps() - 1) {
            const int s = t % stages;
            shared.full[s].wait(static_cast<std::uint32_t>(t / stages) & 1);
            std::int64_t sum = 0;
            for (int i = self.lane(); i < tile; i += warp_size) {
                sum += shared.values[s][i];
            }
            for (int delta = warp_size / 2; delta > 0; delta /= 2) {
                sum += self.shuffle_down(sum, delta);
            }
            if (self.lane() == 0) {
                shared.empty[s].arrive();
                args.sums[t] = sum;
            }
        }
    }
};

} // namespace rankfold::simt::protocols

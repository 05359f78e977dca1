// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// conclude_alone: how a kernel ends that makes the only record of the only rank, or leaves a record for
// somebody else to exchange. What conclude (conclude.cuh) offers, in few instructions. Nothing waits.
#pragma once

#include "rankfold/device/control.cuh"

namespace rankfold::device {

template <Algebra A>
struct conclude_alone {
    using accumulator = typename A::accumulator;
    using opening = errc;
    static constexpr bool is_alone = true;

    struct ending {
        failure_report failure{};
        typename A::output* total = nullptr; ///< null: the record is left
        init_value init{};                   ///< enters the total at the left end
    };

    struct storage {
        bool failed;  ///< before the call
        bool gave_up; ///< during the call; by any thread, before `leave`
    };

    /// Whether a kernel may end like this.
    static bool can_end(const conclusion* then)
    {
        return then == nullptr ||
               (then->fold.ranks == 1 && then->fold.record_count == 1 && then->fold.total != nullptr &&
                then->fold.prefix == nullptr && then->fold.carry == nullptr);
    }

    /// @param then  null: the record is left
    static ending with_one(const conclusion* then, const failure_report& failure)
    {
        if (then == nullptr) {
            return {.failure = failure};
        }
        return {.failure = failure,
                .total = static_cast<typename A::output*>(then->fold.total),
                .init = then->fold.init};
    }

    RANKFOLD_DEVICE static opening open(const simt::block& block, const ending& end, storage& /*shared*/)
    {
        return block.thread() == 0 ? failure_of(end.failure.word) : errc::success;
    }

    /// `shared.failed` is known after the block's next barrier.
    RANKFOLD_DEVICE static void settle(const simt::block& block, const ending& /*end*/, opening asked,
                                       storage& shared)
    {
        if (block.thread() == 0) {
            shared.failed = asked != errc::success;
            shared.gave_up = false;
        }
    }

    RANKFOLD_DEVICE static void claim(const simt::block& /*block*/, const ending& /*end*/,
                                      storage& /*shared*/)
    {
    }

    /// By one thread. `own` is the record, which belongs to `left` where there is no total.
    RANKFOLD_DEVICE static void leave(const A& algebra, const ending& end, const storage& shared,
                                      std::byte* left, const partial<accumulator>& own)
    {
        if (shared.gave_up) {
            return;
        }
        if (end.total == nullptr) {
            write_record(left, own);
            return;
        }
        partial<accumulator> result = raise_init(algebra, end.init);
        result.append(algebra, own);
        *end.total = algebra.lower(result.value());
    }

    RANKFOLD_DEVICE static bool has_left(const ending& /*end*/) { return true; }

    RANKFOLD_DEVICE static void run(const simt::block& /*block*/, const A& /*algebra*/, const ending& /*end*/,
                                    storage& /*shared*/)
    {
    }
};

} // namespace rankfold::device

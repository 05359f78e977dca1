// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the blocks of a launch agree by.
//
//   draws    Every launch whose blocks leave stamped words for each other has an epoch, and every block draws
//            from the entry word at least once. A draw is one atomic: it tells the epoch and how many draws
//            were made before. How many there will be is known, so that one block knows that its draw is the
//            last of the launch: every other block is running or done. It may wait for what they leave,
//            whatever the order in which blocks start and however few are resident.
//   closing  The block that made the last draw closes the launch for the next one. Draws of a word stand in
//            one order, of which it made the last, so that there is nothing to fence and nobody to wait for.
//   overlap  More draws than there should be are another call's on the same workspace: busy. Whoever draws
//            one too many sees it, whoever closes, and whoever waits for words that the other call has taken:
//            while a call waits the entry word is known. Not every overlap is seen: callers have to order
//            their calls.
//   wrap     The epoch of a launch may be the last before epochs repeat. Then whoever knows that nobody looks
//            at stamps any more clears them first, and closes after that.
//   arrival  Where a block has to follow on words without a stamp, all arrive when they have finished.
#pragma once

#include "rankfold/device/failure.cuh"
#include "rankfold/device/value.cuh"

namespace rankfold::device {

/// Head of a workspace, each word in a cache line of its own. All zero before the first call; every launch
/// leaves tickets and draws at zero.
struct control {
    alignas(128) std::uint64_t entry;   ///< { epoch of the last launch closed, draws of this launch }
    alignas(128) std::uint64_t stamped; ///< words behind the control that were ever stamped, at most
    alignas(128) std::uint32_t ticket;  ///< next tile of tile_reduce
    alignas(128) std::uint32_t arrived; ///< blocks that have finished
};

/// What a thread got by drawing: the entry word as it was, as it comes, so that nothing waits for it before
/// it is used.
struct draw {
    std::uint64_t entry;

    /// Of the launch; never 0.
    [[nodiscard]] RANKFOLD_DEVICE std::uint32_t epoch() const
    {
        return static_cast<std::uint32_t>(entry >> 32) + 1;
    }
    /// Draws of the launch before this one.
    [[nodiscard]] RANKFOLD_DEVICE std::uint32_t number() const { return static_cast<std::uint32_t>(entry); }
};

RANKFOLD_DEVICE draw draw_entry(control* control)
{
    return {simt::atomic_add(&control->entry, std::uint64_t{1})};
}

/// Whether epochs repeat after this one.
RANKFOLD_DEVICE bool is_last(std::uint32_t epoch)
{
    return epoch == ~std::uint32_t{0};
}

/// One thread of every block, after its block has finished. True in the last block, which then sees what all
/// wrote.
RANKFOLD_DEVICE bool arrive_last(const simt::block& block, control* control)
{
    simt::fence<simt::scope::device>();
    const auto others = static_cast<std::uint32_t>(block.count() - 1);
    const bool last = simt::atomic_increment(&control->arrived, others) == others;
    simt::fence<simt::scope::device>();
    return last;
}

/// The draws of a launch, and how it is closed.
struct launch_draws {
    device::control* control;
    std::int64_t count;       ///< that its blocks make
    const std::uint64_t* end; ///< of the words that it stamps
    failure_report failure;

    /// Whether the launch makes no draw after this one.
    [[nodiscard]] RANKFOLD_DEVICE bool is_over(const draw& drawn) const
    {
        return drawn.number() >= count - 1;
    }

    /// By whoever drew. True where that cannot be a draw of this launch, which has failed then.
    RANKFOLD_DEVICE bool overlap(const draw& drawn) const
    {
        if (drawn.number() < count) {
            return false;
        }
        fail(failure, errc::busy);
        return true;
    }

    /// By one thread of a block that drew, where blocks may look at stamps until they end: not at the wrap.
    RANKFOLD_DEVICE void close_after_last(const draw& drawn) const
    {
        if (is_last_draw(drawn) && !is_last(drawn.epoch())) {
            close(drawn);
        }
    }

    /// By every block of such a launch, as a whole, after it has finished. `last` is in shared memory.
    RANKFOLD_DEVICE void close_at_wrap(const simt::block& block, std::uint32_t epoch, bool& last) const
    {
        if (!is_last(epoch)) {
            return;
        }
        block.sync();
        if (block.thread() == 0) {
            last = arrive_last(block, control);
        }
        block.sync();
        if (last) {
            close_at_end(*this, block,
                         {std::uint64_t{epoch - 1} << 32 | static_cast<std::uint64_t>(count - 1)});
        }
    }

    /// By the whole block that made the last draw, before it waits for what the others leave, so that closing
    /// is under way meanwhile: one of its threads closes. At the wrap only when nobody looks any more.
    [[nodiscard]] RANKFOLD_DEVICE std::uint64_t begin_close(const simt::block& block, const draw& drawn) const
    {
        const bool closes = is_last_draw(drawn) && !is_last(drawn.epoch()) && is_closer(block);
        return closes ? take_back(drawn) : 0;
    }

    /// By the same block, when it has seen all that it waits for; `entry` is what begin_close gave. False in
    /// the thread that closes if there were more draws than that: the launch has failed then.
    RANKFOLD_DEVICE bool end_close(const simt::block& block, const draw& drawn, std::uint64_t entry) const
    {
        if (is_last(drawn.epoch())) {
            return close_at_end(*this, block, drawn);
        }
        return !is_closer(block) || is_alone(drawn, entry);
    }

    /// Asked rarely by whoever waits in the block that made the last draw: false where the entry word says
    /// that another call has drawn or closed meanwhile. The launch has failed then.
    RANKFOLD_DEVICE bool is_undisturbed(const draw& drawn) const
    {
        const std::uint64_t entry = simt::load_relaxed<simt::scope::device>(&control->entry);
        if (entry == all_drawn(drawn) || entry == closed(drawn)) {
            return true;
        }
        fail(failure, errc::busy);
        return false;
    }

    /// The thread of a block that closes: one in another warp than the first, which folds.
    [[nodiscard]] RANKFOLD_DEVICE static bool is_closer(const simt::block& block)
    {
        return block.thread() == block.threads() / 4 * 3;
    }

private:
    [[nodiscard]] RANKFOLD_DEVICE bool is_last_draw(const draw& drawn) const
    {
        return drawn.number() == count - 1;
    }

    /// By a whole block that alone may still look at stamps, but will not.
    RANKFOLD_DEVICE_CALL static bool close_at_end(launch_draws draws, simt::block block, draw drawn)
    {
        draws.clear_stamps(block);
        block.sync();
        return !is_closer(block) || draws.close(drawn);
    }

    /// By one thread, when every draw has been made. Closing twice would take draws away from others.
    RANKFOLD_DEVICE bool close(const draw& drawn) const
    {
        return !overlap(drawn) && is_alone(drawn, take_back(drawn));
    }

    /// The draws of the launch, so that the next one begins at none. Returns the entry word as it was.
    [[nodiscard]] RANKFOLD_DEVICE std::uint64_t take_back(const draw& drawn) const
    {
        simt::atomic_raise(&control->stamped, stamped());
        return simt::atomic_add(&control->entry, closed(drawn) - all_drawn(drawn));
    }

    /// False, and the launch has failed, where `entry` says that another call has drawn.
    RANKFOLD_DEVICE bool is_alone(const draw& drawn, std::uint64_t entry) const
    {
        const bool alone = entry == all_drawn(drawn);
        if (!alone) {
            fail(failure, errc::busy);
        }
        return alone;
    }

    /// The entry word when the draws of this launch have been made, and no other.
    [[nodiscard]] RANKFOLD_DEVICE std::uint64_t all_drawn(const draw& drawn) const
    {
        return std::uint64_t{drawn.epoch() - 1} << 32 | static_cast<std::uint64_t>(count);
    }

    /// The entry word when the launch has been closed, and nobody has drawn since.
    [[nodiscard]] RANKFOLD_DEVICE static std::uint64_t closed(const draw& drawn)
    {
        return std::uint64_t{is_last(drawn.epoch()) ? 0 : drawn.epoch()} << 32;
    }

    /// So that none of them can be taken for one to come. Words without a stamp in between are cleared too:
    /// none is kept from one call to another.
    RANKFOLD_DEVICE void clear_stamps(const simt::block& block) const
    {
        const std::uint64_t earlier = simt::load_relaxed<simt::scope::device>(&control->stamped);
        const std::uint64_t words = earlier > stamped() ? earlier : stamped();
        RANKFOLD_NO_UNROLL
        for (std::uint64_t i = block.thread(); i < words; i += block.threads()) {
            simt::store_relaxed<simt::scope::device>(first_word() + i, std::uint64_t{0});
        }
    }

    [[nodiscard]] RANKFOLD_DEVICE std::uint64_t* first_word() const
    {
        return reinterpret_cast<std::uint64_t*>(control + 1);
    }
    [[nodiscard]] RANKFOLD_DEVICE std::uint64_t stamped() const
    {
        return static_cast<std::uint64_t>(end - first_word());
    }
};

/// An init as a partial; absent where none was given.
template <Algebra A>
RANKFOLD_DEVICE partial<typename A::accumulator> raise_init(const A& algebra, const init_value& init)
{
    if (!init.given) {
        return {};
    }
    uninitialised<typename A::output> copy;
    memcpy(static_cast<void*>(&copy.value), &init.bytes, sizeof(typename A::output));
    return partial<typename A::accumulator>(algebra.raise(copy.value));
}

} // namespace rankfold::device

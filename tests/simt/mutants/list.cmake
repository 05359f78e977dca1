# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# The faults planted in the kernels.

# ---- what blocks agree by ---------------------------------------------------------------------------------------------
rankfold_add_mutant(no_release_fence IN control.cuh TRIAL reduce FAULT "no fence between a block's partials and its ticket"
  FIND [[    simt::fence<simt::scope::device>();
    const auto others]]
  REPLACE [[    const auto others]])
rankfold_add_mutant(no_acquire_fence IN control.cuh TRIAL reduce FAULT "no fence between the last ticket and the partials"
  FIND [[== others;
    simt::fence<simt::scope::device>();]]
  REPLACE [[== others;]])
rankfold_add_mutant(narrow_fence IN control.cuh TRIAL reduce FAULT "a fence of block scope before the ticket"
  FIND [[    simt::fence<simt::scope::device>();
    const auto others]]
  REPLACE [[    simt::fence<simt::scope::block>();
    const auto others]])
rankfold_add_mutant(chunk_ticket_not_reset IN reduce.cuh TRIAL reduce FAULT "the ticket of chunks is not reset"
  FIND [[simt::store_relaxed<simt::scope::device>(&args.control->ticket, 0U);]] REPLACE "")
rankfold_add_mutant(no_barrier IN reduce.cuh TRIAL reduce FAULT "no barrier between the warps' folds and their reader"
  FIND [[            block.sync();
            if (shared.failed)]]
  REPLACE [[            if (shared.failed)]])

# ---- look-back --------------------------------------------------------------------------------------------------------
rankfold_add_mutant(tile_is_block_index IN lookback_scan.cuh TRIAL lookback
  FAULT "tiles follow from the block index: hangs with few blocks resident"
  FIND [[shared.tile = simt::atomic_add(&args.control->ticket, 1U);]]
  REPLACE [[shared.tile = shared.turn++ * static_cast<std::uint32_t>(block.count()) + static_cast<std::uint32_t>(block.index());]]
  FIND2 [[shared.gave_up = false;]] REPLACE2 [[shared.gave_up = false;
            shared.turn = 0;]]
  FIND3 [[std::uint32_t tile;]] REPLACE3 [[std::uint32_t tile;
        std::uint32_t turn;]])
rankfold_add_mutant(tile_ticket_not_reset IN workspace.cuh TRIAL lookback FAULT "the ticket of tiles is not reset"
  FIND [[simt::store_relaxed<simt::scope::device>(&control->ticket, 0U);]] REPLACE "")
rankfold_add_mutant(data_not_awaited IN value.cuh TRIAL lookback
  FAULT "an aggregate counts as published before all of its data is there"
  FIND [[all = all && static_cast]] REPLACE [[all = w > 0 ? all : static_cast]])
rankfold_add_mutant(epoch_not_moved IN workspace.cuh TRIAL lookback FAULT "the next call takes the folds of the last one"
  FIND [[wraps ? 0U : epoch]] REPLACE [[epoch - 1]])
rankfold_add_mutant(wrap_not_cleared IN workspace.cuh TRIAL lookback_wrap FAULT "folds from before the wrap of the epoch"
  FIND [[if (wraps) {]] REPLACE [[if (wraps && epoch == 0) {]])

# ---- the bulk form ----------------------------------------------------------------------------------------------------
rankfold_add_mutant(stage_parity IN bulk_scan.cuh TRIAL bulk FAULT "parity off by one: a stage is refilled before it is empty"
  FIND [[empty.wait(at.parity ^ 1);
            alive]]
  REPLACE [[empty.wait(at.parity);
            alive]])
rankfold_add_mutant(cursor_parity IN bulk_scan.cuh TRIAL bulk FAULT "the parity is not turned at the end of the ring"
  FIND [[stage -= stages;
                parity ^= 1;]]
  REPLACE [[stage -= stages;]])
rankfold_add_mutant(stage_left_early IN bulk_scan.cuh TRIAL bulk FAULT "a stage counts as empty when all but one scanner have left"
  FIND [[state.empty.init(strips);]] REPLACE [[state.empty.init(strips - 1);]])
rankfold_add_mutant(strips_not_awaited IN bulk_scan.cuh TRIAL bulk FAULT "a strip is scanned before what stands before it is there"
  FIND [[state.carried.init(2);]] REPLACE [[state.carried.init(1);]])
rankfold_add_mutant(fold_not_awaited IN follower.cuh TRIAL bulk FAULT "a carry is given one fold too early"
  FIND [[ahead <= there;]] REPLACE [[ahead <= there + 1;]])
rankfold_add_mutant(view_not_cleared IN follower.cuh TRIAL bulk FAULT "words seen of an earlier window count as seen"
  FIND [[seen_[windows - 1][i] = view();]] REPLACE [[]])

# ---- reduce, then scan ------------------------------------------------------------------------------------------------
rankfold_add_mutant(group_not_ordered IN tile_reduce.cuh TRIAL passes FAULT "lanes read what lane 0 alone has acquired"
  FIND [[block.sync_warp();]] REPLACE "")
rankfold_add_mutant(fold_not_released IN tile_reduce.cuh TRIAL passes FAULT "no fence between a tile's fold and its arrival"
  FIND [[            simt::fence<simt::scope::device>();
            result.before =]]
  REPLACE [[            result.before =]])

# ---- the mailbox ------------------------------------------------------------------------------------------------------
rankfold_add_mutant(one_half IN mailbox.cuh TRIAL mailbox FAULT "the halves of the mailbox do not alternate"
  FIND [[std::int64_t{epoch_ & 1}]] REPLACE [[std::int64_t{0}]])
rankfold_add_mutant(ranks_not_awaited IN mailbox.cuh TRIAL mailbox_lower FAULT "a rank waits only for those that it folds"
  FIND [[const int total = view_.count *]] REPLACE [[const int total = (view_.rank + 1) *]]
  FIND2 [[r < view_.count; r += simt::warp_size]] REPLACE2 [[r <= view_.rank; r += simt::warp_size]])
rankfold_add_mutant(payload_not_awaited IN mailbox.cuh TRIAL mailbox FAULT "payload words are taken without their epoch"
  FIND [[there = static_cast<std::uint32_t>(word >> 32) == epoch_;]]
  REPLACE [[there = first > 0 || static_cast<std::uint32_t>(word >> 32) == epoch_;]])
rankfold_add_mutant(halves_not_cleared IN mailbox.cuh TRIAL mailbox_wrap FAULT "the halves are not cleared at the wrap"
  FIND [[if (epoch_ >= ~std::uint32_t{1}) {]] REPLACE [[if (epoch_ == 0) {]])
rankfold_add_mutant(half_used_twice IN mailbox.cuh TRIAL mailbox_wrap FAULT "the wrap uses the same half twice"
  FIND [[? 2 : epoch + 1]] REPLACE [[? 1 : epoch + 1]])

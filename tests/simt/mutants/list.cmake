# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# The faults planted in the kernels.

# ---- what blocks agree by ---------------------------------------------------------------------------------------------
rankfold_add_mutant(no_release_fence IN control.cuh TRIAL passes FAULT "no fence between a block's folds and its arrival"
  FIND [[    simt::fence<simt::scope::device>();
    const auto others]]
  REPLACE [[    const auto others]])
rankfold_add_mutant(no_acquire_fence IN control.cuh TRIAL passes FAULT "no fence between the last arrival and the folds"
  FIND [[== others;
    simt::fence<simt::scope::device>();]]
  REPLACE [[== others;]])
rankfold_add_mutant(narrow_fence IN control.cuh TRIAL passes FAULT "a fence of block scope before the arrival"
  FIND [[    simt::fence<simt::scope::device>();
    const auto others]]
  REPLACE [[    simt::fence<simt::scope::block>();
    const auto others]])
rankfold_add_mutant(draws_not_set_back IN control.cuh TRIAL reduce FAULT "the next launch counts the draws of the last one"
  FIND [[? 0 : drawn.epoch()} << 32;]] REPLACE [[? 0 : drawn.epoch()} << 32 | 1;]])
rankfold_add_mutant(closed_too_early IN control.cuh TRIAL lookback FAULT "a launch is closed by the draw before the last"
  FIND [[drawn.number() == count - 1]] REPLACE [[drawn.number() == count - 2]])
rankfold_add_mutant(epoch_not_moved IN control.cuh TRIAL lookback FAULT "the next call takes the folds of the last one"
  FIND [[? 0 : drawn.epoch()} << 32;]] REPLACE [[? 0 : drawn.epoch() - 1} << 32;]])
rankfold_add_mutant(wrap_not_cleared IN control.cuh TRIAL lookback_wrap FAULT "folds from before the wrap of the epoch"
  FIND [[        draws.clear_stamps(block);
]] REPLACE "")
rankfold_add_mutant(wrap_of_reduce_not_cleared IN control.cuh TRIAL reduce_wrap FAULT "partials from before the wrap of the epoch"
  FIND [[        draws.clear_stamps(block);
]] REPLACE "")
rankfold_add_mutant(wrap_partly_cleared IN control.cuh TRIAL lookback_wrap FAULT "the wrap leaves what longer calls stamped"
  FIND [[earlier > stamped() ? earlier : stamped()]] REPLACE [[earlier < stamped() ? earlier : stamped()]])
rankfold_add_mutant(wrap_not_awaited IN control.cuh TRIAL lookback_wrap FAULT "stamps are cleared while other blocks look at them"
  FIND [[last = arrive_last(block, control);]] REPLACE [[last = true;]])

rankfold_add_mutant(draws_beside_ignored IN control.cuh TRIAL reduce_overlap FAULT "whoever closes does not look for draws of another call"
  FIND [[const bool alone = entry == all_drawn(drawn);]] REPLACE [[const bool alone = entry == all_drawn(drawn) || true;]])

# ---- reduce -----------------------------------------------------------------------------------------------------------
rankfold_add_mutant(wrong_block_folds IN reduce.cuh TRIAL reduce FAULT "the block that draws first waits for the others"
  FIND [[if (!draws.is_over(drawn)) {]] REPLACE [[if (static_cast<int>(drawn.number()) + block.count() != args.chunks.count) {]])
rankfold_add_mutant(partial_not_awaited IN await.cuh TRIAL reduce FAULT "partials are taken before they are there"
  FIND [[return look(true);]] REPLACE [[look(true); return true;]])
rankfold_add_mutant(no_barrier IN reduce.cuh TRIAL reduce FAULT "no barrier between the warps' folds and their reader"
  FIND [[            block.sync();
            if (shared.end.failed)]]
  REPLACE [[            if (shared.end.failed)]])

rankfold_add_mutant(first_short_block_folds IN one_pass_reduce.cuh TRIAL short FAULT "the block that draws first waits for the others"
  FIND [[draws.is_over(drawn) ?]] REPLACE [[drawn.number() == 0 ?]])
rankfold_add_mutant(short_piece_not_ordered IN one_pass_reduce.cuh TRIAL short FAULT "no barrier between the warps' folds and their reader"
  FIND [[        block.sync();
        if (shared.end.failed) {]]
  REPLACE [[        block.sync_warp();
        if (shared.end.failed) {]])
rankfold_add_mutant(disturbance_ignored IN chunk_partials.cuh TRIAL short_overlap FAULT "partials that another call took are awaited for ever"
  FIND [[!draws.is_undisturbed(drawn) || ]] REPLACE [[]])
rankfold_add_mutant(short_wrap_not_cleared IN control.cuh TRIAL short_wrap FAULT "the last epoch is closed as any other"
  FIND [[is_last_draw(drawn) && !is_last(drawn.epoch()) && is_closer]] REPLACE [[is_last_draw(drawn) && is_closer]]
  FIND2 [[        if (is_last(drawn.epoch())) {
            return close_at_end(*this, block, drawn);
        }
]] REPLACE2 "")

# ---- look-back --------------------------------------------------------------------------------------------------------
rankfold_add_mutant(tile_is_block_index IN lookback_scan.cuh TRIAL lookback
  FAULT "tiles follow from the block index: hangs with few blocks resident"
  FIND [[tile = shared.drawn.number();]] REPLACE [[tile = turn++ * block.count() + block.index();]]
  FIND2 [[        do {]] REPLACE2 [[        std::int64_t turn = 0;
        do {]])
rankfold_add_mutant(data_not_awaited IN value.cuh TRIAL lookback
  FAULT "an aggregate counts as published before all of its data is there"
  FIND [[all = all && static_cast]] REPLACE [[all = w > 0 ? all : static_cast]])

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
  FIND [[state.carried.init(1 + strips);]] REPLACE [[state.carried.init(strips);]])
rankfold_add_mutant(fold_not_awaited IN follower.cuh TRIAL bulk FAULT "a carry is given one fold too early"
  FIND [[ahead <= there;]] REPLACE [[ahead <= there + 1;]])
# Once: else a warp would find complete windows for ever.
rankfold_add_mutant(view_not_cleared IN follower.cuh TRIAL bulk FAULT "words seen of an earlier window count as seen"
  FIND [[seen_[windows - 1][i] = view();]] REPLACE [[seen_[windows - 1][i] = first_ == window ? seen_[windows - 1][i] : view();]])

# ---- reduce, then scan ------------------------------------------------------------------------------------------------
rankfold_add_mutant(group_not_ordered IN tile_reduce.cuh TRIAL passes FAULT "lanes read what lane 0 alone has acquired"
  FIND [[block.sync_warp();]] REPLACE "")
rankfold_add_mutant(fold_not_released IN tile_reduce.cuh TRIAL passes FAULT "no fence between a tile's fold and its arrival"
  FIND [[            simt::fence<simt::scope::device>();
            result.before =]]
  REPLACE [[            result.before =]])

rankfold_add_mutant(post_not_awaited IN onchip_scan.cuh TRIAL passes FAULT "a tile takes its post before it is there"
  FIND [[return seen.complete(posted);]] REPLACE [[return true;]])
rankfold_add_mutant(post_not_cleared IN onchip_scan.cuh TRIAL passes FAULT "a post stays for the next launch"
  FIND [[simt::store_relaxed<simt::scope::device>(post_of(args, tile) + w, std::uint64_t{0});]] REPLACE "")
rankfold_add_mutant(wrong_block_meets IN onchip_scan.cuh TRIAL passes FAULT "the block that draws first waits for the others"
  FIND [[draws_of(block, args).is_over(shared.drawn)]] REPLACE [[shared.drawn.number() == 0]])
rankfold_add_mutant(draws_of_another_ignored IN onchip_scan.cuh TRIAL passes_overlap FAULT "a call goes on with draws of another on its workspace"
  FIND [[shared.end.gave_up = true;
        }
        if]]
  REPLACE [[}
        if]])
rankfold_add_mutant(befores_keep_their_stamp IN onchip_scan.cuh TRIAL passes_wrap FAULT "what the last epoch leaves for the second launch keeps a stamp"
  FIND [[before.value(), no_epoch)]] REPLACE [[before.value(), no_epoch + 1)]])
rankfold_add_mutant(stored_without_agreement IN onchip_scan.cuh TRIAL passes_missing FAULT "a piece of one tile is stored though ranks are missing"
  FIND [[shared.carried = agreed;]] REPLACE [[shared.carried = true;]])
rankfold_add_mutant(carry_not_shared IN onchip_scan.cuh TRIAL passes FAULT "no barrier between a carry and its readers"
  FIND [[        block.sync();
        if (shared.carried) {]]
  REPLACE [[        if (shared.carried) {]])

# ---- the mailbox ------------------------------------------------------------------------------------------------------
rankfold_add_mutant(one_half IN turn.cuh TRIAL mailbox FAULT "the halves of the mailbox do not alternate"
  FIND [[epoch & 1]] REPLACE [[epoch & 0]])
rankfold_add_mutant(ranks_not_awaited IN mailbox.cuh TRIAL mailbox_lower FAULT "a rank waits only for those that it folds"
  FIND [[block_.all(!wanted || is_new(word))]] REPLACE [[block_.all(!wanted || rank > view_.rank || is_new(word))]])
rankfold_add_mutant(payload_not_awaited IN mailbox.cuh TRIAL mailbox FAULT "payload words are taken without their epoch"
  FIND [[block_.all(!wanted || is_new(word))]] REPLACE [[block_.all(!wanted || !is_head || word != 0)]]
  FIND2 [[} else if (is_new(word)) {]] REPLACE2 [[} else if (wanted && !is_head) {]])
rankfold_add_mutant(differing_rank_awaited IN mailbox.cuh TRIAL mailbox_mismatch FAULT "payload is awaited of a rank that calls something else"
  FIND [[wanted = differs == errc::success;]] REPLACE "")
rankfold_add_mutant(told_payload_differing_rank_awaited IN mailbox.cuh TRIAL told FAULT "payload is awaited of a rank that has failed"
  FIND [[wanted = differs == errc::success;]] REPLACE "")
rankfold_add_mutant(missing_payload_forgotten IN mailbox.cuh TRIAL mailbox_abort FAULT "payload that was not awaited counts as received"
  FIND [[shared_.gave_up = differs;]] REPLACE "")
rankfold_add_mutant(halves_not_cleared IN mailbox.cuh TRIAL mailbox_wrap FAULT "the halves are not cleared at the wrap"
  FIND [[if (epoch_ >= last_epoch - 1) {]] REPLACE [[if (epoch_ == 0) {]])
rankfold_add_mutant(half_used_twice IN turn.cuh TRIAL mailbox_wrap FAULT "the wrap uses the same half twice"
  FIND [[? 2 : epoch + 1]] REPLACE [[? 1 : epoch + 1]])
rankfold_add_mutant(turn_not_kept IN turn.cuh TRIAL overlap FAULT "the turn is asked for and not taken"
  FIND [[simt::atomic_or(view.epoch, turn_taken)]] REPLACE [[simt::atomic_or(view.epoch, 0)]])
rankfold_add_mutant(turn_ignored IN mailbox.cuh TRIAL overlap FAULT "a call exchanges in another's turn"
  FIND [[return shared_.turn < turn_taken;]] REPLACE [[return true;]])
rankfold_add_mutant(turn_not_given_back IN mailbox.cuh TRIAL mailbox FAULT "an exchange keeps its turn"
  FIND [[(view_.epoch, epoch_)]] REPLACE [[(view_.epoch, epoch_ | turn_taken)]])
rankfold_add_mutant(overlap_not_told IN mailbox.cuh TRIAL overlap FAULT "a call that overlaps tells nobody but its host"
  FIND [[if (fail(failure, errc::busy)) {]] REPLACE [[if (!fail(failure, errc::busy)) {]])
rankfold_add_mutant(overlap_told_at_once IN mailbox.cuh TRIAL overlap FAULT "a call that overlaps does not wait for the turn to tell"
  FIND [[return take_turn_and_tell(view, head, errc::busy);]]
  REPLACE [[tell_failure(view, simt::load_relaxed<simt::scope::device>(view.epoch) & last_epoch, head, errc::busy); return true;]])
rankfold_add_mutant(failure_not_told IN mailbox.cuh TRIAL told FAULT "a rank that has failed ends in silence"
  FIND [[            tell_failure(view, asked.turn, head, asked.code);]] REPLACE "")
rankfold_add_mutant(failure_told_too_late IN turn.cuh TRIAL told FAULT "a failure is told one exchange too late"
  FIND [[const std::uint32_t epoch = epoch_after(turn);]] REPLACE [[const std::uint32_t epoch = epoch_after(epoch_after(turn));]])
rankfold_add_mutant(late_failure_awaited IN mailbox.cuh TRIAL late_failure FAULT "a rank that gave up the exchange before is awaited"
  FIND [[? error_in(static_cast<std::uint32_t>(word))]] REPLACE [[? errc::success]])
rankfold_add_mutant(clock_taken_for_steady IN mailbox.cuh TRIAL unsteady_clock FAULT "a reading of the clock that is older ends a wait"
  FIND [[waited_ns > 0 && ]] REPLACE "")
rankfold_add_mutant(failure_of_a_start_not_told IN mailbox.cuh TRIAL passes_failing FAULT "a block that finds a failure leaves the telling to one that has not"
  FIND [[            take_turn_and_tell(view, head, asked.code);]] REPLACE "")

# ---- how kernels conclude -----------------------------------------------------------------------------------------------
rankfold_add_mutant(record_not_there IN conclude.cuh TRIAL conclude FAULT "no barrier between a record and its departure"
  FIND [[        block.sync();
        if (shared.failed || shared.gave_up) {]]
  REPLACE [[        if (shared.failed || shared.gave_up) {]]
  FIND2 [[            shared.gave_up = false;
        }]]
  REPLACE2 [[            shared.gave_up = false;
        }
        block.sync();]])
rankfold_add_mutant(fold_too_early IN conclude.cuh TRIAL conclude FAULT "no barrier between the exchange and the fold"
  FIND [[        mail.exchange(end.then.head, rows);
        block.sync();]]
  REPLACE [[        mail.exchange(end.then.head, rows);]])
rankfold_add_mutant(given_up_in_silence IN conclude.cuh TRIAL give_up FAULT "a rank that gives up on its own blocks keeps the turn"
  FIND [[if (!shared.failed && exchanges(end) &&]] REPLACE [[if (shared.failed && exchanges(end) &&]])

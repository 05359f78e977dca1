// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Faults planted in the small protocol kernels: the executor must notice every one.
#include "protocols/lookback.hpp"
#include "protocols/pipeline.hpp"
#include "protocols/ticket_reduce.hpp"
#include "protocols/trials.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {
namespace {

using namespace executor;
using namespace protocols;

constexpr int enough = 2000;

template <mutation M>
void caught_in_reduce(const char* name)
{
    expect_caught(name, enough, [](const schedule& how) { return reduce_trial<ticket_reduce<M>>(how); });
}
template <mutation M>
void caught_in_lookback(const char* name)
{
    expect_caught(name, enough, [](const schedule& how) { return lookback_trial<lookback<M>>(how); });
}
template <mutation M>
void caught_in_pipeline(const char* name)
{
    expect_caught(name, enough, [](const schedule& how) { return pipeline_trial<pipeline<M>>(how); });
}

TEST(ProtocolMutations, OfTheTicketReductionAreCaught)
{
    caught_in_reduce<mutation::no_release_fence>("partial and ticket not ordered by the writer");
    caught_in_reduce<mutation::no_acquire_fence>("ticket and partials not ordered by the last block");
    caught_in_reduce<mutation::narrow_fence>("a fence of block scope between partial and ticket");
    caught_in_reduce<mutation::ticket_not_reset>("ticket not reset");
    caught_in_reduce<mutation::no_barrier>("no barrier before the warps' partials are read");
    caught_in_reduce<mutation::lane_missing>("a lane missing from an exchange");
    caught_in_reduce<mutation::divergent_barrier>("a warp missing from a block barrier");
}

TEST(ProtocolMutations, OfLookbackAreCaught)
{
    caught_in_lookback<mutation::flag_before_data>("aggregate published before the data");
    caught_in_lookback<mutation::no_release_fence>("no fence between aggregate and flag");
    caught_in_lookback<mutation::no_acquire_fence>("no fence between flag and aggregate");
    caught_in_lookback<mutation::narrow_fence>("a fence of block scope between aggregate and flag");
    caught_in_lookback<mutation::ticket_not_reset>("tile ticket not reset");
    caught_in_lookback<mutation::tile_is_block_index>("tile id from the block index with few resident");
}

TEST(ProtocolMutations, OfThePipelineAreCaught)
{
    caught_in_pipeline<mutation::parity_off_by_one>("parity off by one");
    caught_in_pipeline<mutation::stage_reused_early>("a stage refilled before it is drained");
    caught_in_pipeline<mutation::missing_bytes>("fewer bytes expected than copied");
}

} // namespace
} // namespace rankfold::simt

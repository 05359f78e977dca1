// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "deferred_memory.hpp"

#include <gtest/gtest.h>

namespace rankfold::detail {
namespace {

using memories = std::vector<void*>;

class DeferredMemory : public testing::Test {
protected:
    /// Something to be told from others.
    static void* piece(int which)
    {
        static char bytes[8];
        return bytes + which;
    }

    deferred_memory deferred;
};

TEST_F(DeferredMemory, IsFreeAtOnceWhereNoCallMayRun)
{
    EXPECT_FALSE(deferred.keep(piece(0)));
    deferred.queued(7, 1);
    deferred.ended(7);

    EXPECT_FALSE(deferred.keep(piece(0)));
    EXPECT_FALSE(deferred.keeps_any());
    EXPECT_FALSE(deferred.may_run());
}

TEST_F(DeferredMemory, IsKeptUntilTheCallsBeforeItHaveEnded)
{
    deferred.queued(7, 1);
    deferred.queued(7, 2);
    EXPECT_TRUE(deferred.keep(piece(0)));
    EXPECT_EQ(deferred.take_free(), memories{});
    EXPECT_TRUE(deferred.keeps_any());

    deferred.ended(7);

    EXPECT_EQ(deferred.take_free(), memories{piece(0)});
    EXPECT_EQ(deferred.take_free(), memories{});
    EXPECT_FALSE(deferred.keeps_any());
}

TEST_F(DeferredMemory, IsKeptForEveryStream)
{
    deferred.queued(7, 1);
    deferred.queued(8, 2);
    EXPECT_TRUE(deferred.keep(piece(0)));

    deferred.ended(8);

    EXPECT_EQ(deferred.take_free(), memories{});
    EXPECT_TRUE(deferred.may_run());
    deferred.ended(7);
    EXPECT_EQ(deferred.take_free(), memories{piece(0)});
}

TEST_F(DeferredMemory, IsNotKeptForCallsThatCameLater)
{
    deferred.queued(7, 1);
    EXPECT_TRUE(deferred.keep(piece(0)));
    deferred.queued(8, 2);
    EXPECT_TRUE(deferred.keep(piece(1)));

    deferred.ended(7);

    EXPECT_EQ(deferred.take_free(), memories{piece(0)});
    deferred.all_ended();
    EXPECT_EQ(deferred.take_free(), memories{piece(1)});
    EXPECT_FALSE(deferred.may_run());
}

TEST_F(DeferredMemory, IsKeptForTheFirstCallOfAStreamThatWasNotWaitedFor)
{
    deferred.queued(7, 1);
    deferred.queued(8, 2);
    EXPECT_TRUE(deferred.keep(piece(0)));
    deferred.queued(8, 3);
    deferred.ended(7);

    EXPECT_EQ(deferred.take_free(), memories{}); // call 2 has not ended
    deferred.ended(8);
    EXPECT_EQ(deferred.take_free(), memories{piece(0)});
}

} // namespace
} // namespace rankfold::detail

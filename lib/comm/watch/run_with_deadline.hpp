// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps of other libraries in which ranks wait for each other without a deadline: one that fails alone must
// not strand the rest.
#pragma once

#include "rankfold/mpi.hpp"

#include <functional>
#include <string>
#include <vector>

namespace rankfold::detail {

/// What came of a step on one rank.
struct deadline_result {
    enum class state { done, failed, did_not_return } how;
    std::string problem; ///< empty where done
};

/// Runs `action` on all ranks, each in a thread of its own. Collective. Where it throws on one rank, or does
/// not return within `seconds`, the others stop waiting for theirs at once.
/// @param action  owns all that it uses: a thread that does not return is left behind
/// @return what came of it, by rank: the same on all ranks
std::vector<deadline_result> run_with_deadline(MPI_Comm comm, const std::function<void()>& action,
                                               double seconds);

/// "rank 1: out of memory; rank 2: did not return within 5 s", or empty where all are done. A rank that did
/// not return only because another failed is not named.
std::string problems_of(const std::vector<deadline_result>& results);

/// Runs `action` in a thread of its own. False if it did not return within `seconds`; then the thread is left
/// behind.
bool returns_in_time(const std::function<void()>& action, double seconds);

} // namespace rankfold::detail

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A built-in operator is told its result: a sum of bytes in bytes would wrap.
#include "rankfold/rankfold.hpp"

std::int64_t total(const rankfold::communicator& comm, std::span<const std::int8_t> field)
{
#ifdef RANKFOLD_COMPILE_FAIL
    return rankfold::all_reduce(comm, rankfold::sum, field);
#else
    return rankfold::all_reduce<std::int64_t>(comm, rankfold::sum, field);
#endif
}

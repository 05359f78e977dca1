// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The result may be wider than the input, not narrower.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using result = std::int16_t;
#else
using result = std::int64_t;
#endif

result total(const rankfold::communicator& comm, std::span<const std::int32_t> field)
{
    return rankfold::all_reduce<result>(comm, rankfold::sum, field);
}

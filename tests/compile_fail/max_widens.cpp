// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An extreme is one of the elements, of their type.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using result = double;
#else
using result = float;
#endif

result highest(const rankfold::communicator& comm, std::span<const float> field)
{
    return rankfold::all_reduce<result>(comm, rankfold::max, field);
}

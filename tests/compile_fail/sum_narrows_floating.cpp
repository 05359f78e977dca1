// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sum does not lose the digits that its elements have.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using result = float;
#else
using result = double;
#endif

result total(const rankfold::communicator& comm, std::span<const double> field)
{
    return rankfold::all_reduce<result>(comm, rankfold::sum, field);
}

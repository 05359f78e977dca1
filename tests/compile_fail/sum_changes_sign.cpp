// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sum of unsigned numbers is unsigned.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using result = std::int64_t;
#else
using result = std::uint64_t;
#endif

result total(const rankfold::communicator& comm, std::span<const std::uint32_t> field)
{
    return rankfold::all_reduce<result>(comm, rankfold::sum, field);
}

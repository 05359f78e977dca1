// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Types that look like permitted ones: RANKFOLD_TEST_ELEMENT. The message says which was given.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
__extension__ using element = RANKFOLD_TEST_ELEMENT;
#else
using element = long long;
#endif

element total(const rankfold::communicator& comm, std::span<const element> field)
{
    return rankfold::all_reduce<element>(comm, rankfold::sum, field);
}

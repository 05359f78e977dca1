// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Integers are summed as integers.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using element = std::int32_t;
#else
using element = float;
#endif

rankfold::exscan_plan<element, double> make(const rankfold::communicator& comm)
{
    return {comm, rankfold::sum};
}

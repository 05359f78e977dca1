// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The operator affine composes maps, not numbers.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using element = double;
#else
using element = rankfold::affine_map<double>;
#endif

rankfold::scan_plan<element> make(const rankfold::communicator& comm)
{
    return {comm, rankfold::inclusive, rankfold::affine};
}

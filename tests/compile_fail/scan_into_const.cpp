// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The output of a scan is written.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using output = const float;
#else
using output = float;
#endif

void scanned(const rankfold::communicator& comm, std::span<const float> in, std::span<output> out)
{
    rankfold::inclusive_scan(comm, rankfold::sum, in, out);
}

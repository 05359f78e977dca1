// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bits are those of integers.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using element = float;
#else
using element = std::uint32_t;
#endif

rankfold::scan_plan<element> make(const rankfold::communicator& comm)
{
    return {comm, rankfold::inclusive, rankfold::bit_and};
}

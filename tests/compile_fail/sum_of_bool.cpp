// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counting booleans takes bytes: what a sum of bool is differs from library to library.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using element = bool;
#else
using element = std::uint8_t;
#endif

std::uint8_t counted(const rankfold::communicator& comm, std::span<const element> flags)
{
    return rankfold::all_reduce<element>(comm, rankfold::sum, flags);
}

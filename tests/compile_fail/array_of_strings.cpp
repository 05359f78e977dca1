// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements are copied as bytes.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using element = std::string;
#else
using element = char;
#endif

rankfold::array<element> make(const rankfold::communicator& comm)
{
    return {comm, 10};
}

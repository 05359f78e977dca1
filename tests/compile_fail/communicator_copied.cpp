// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator has one owner.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using parameter = const rankfold::communicator&;
#else
using parameter = rankfold::communicator&&;
#endif

rankfold::communicator taken(parameter comm)
{
    return rankfold::communicator(static_cast<parameter>(comm));
}

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Complex numbers have no order.
#include "rankfold/rankfold.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
using element = std::complex<double>;
#else
using element = double;
#endif

rankfold::reduce_plan<element> make(const rankfold::communicator& comm)
{
    return {comm, rankfold::min};
}

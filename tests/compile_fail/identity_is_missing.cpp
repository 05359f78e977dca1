// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An algebra that says it has an identity has one.
#include "rankfold/user_operator.hpp"

struct largest : rankfold::value_algebra<double> {
    static constexpr bool has_identity = true;
    double combine(double l, double r) const { return l < r ? r : l; }
#ifndef RANKFOLD_COMPILE_FAIL
    double identity() const
    {
        return 0;
    }
#endif
};

rankfold::operation make()
{
    return rankfold::make_operation(largest{});
}

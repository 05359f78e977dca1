// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A functor takes two values of the result's type.
#include "rankfold/user_operator.hpp"

struct point {
    double x;
};

rankfold::operation make()
{
#ifdef RANKFOLD_COMPILE_FAIL
    const auto sum = [](double a, double b) { return a + b; };
#else
    const auto sum = [](point a, point b) { return point{a.x + b.x}; };
#endif
    return rankfold::user_operator(sum).over<point>();
}

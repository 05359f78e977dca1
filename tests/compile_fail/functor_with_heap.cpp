// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A functor travels as bytes.
#include "rankfold/user_operator.hpp"

#include <vector>

rankfold::operation make()
{
#ifdef RANKFOLD_COMPILE_FAIL
    const std::vector<double> weight{1.0};
#else
    const double weight[] = {1.0};
#endif
    return rankfold::user_operator([weight](double a, double b) { return a + weight[0] * b; }).over<double>();
}

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements of a user's algebra have at most 64 bytes. BC-53.
#include "rankfold/host/operation.hpp"

#ifdef RANKFOLD_COMPILE_FAIL
constexpr std::size_t doubles = 9;
#else
constexpr std::size_t doubles = 8;
#endif

struct row {
    double x[doubles];
};

struct row_sum : rankfold::value_algebra<row> {
    static constexpr bool commutative = true;
    row combine(row l, row r) const
    {
        for (std::size_t i = 0; i < doubles; ++i) {
            l.x[i] += r.x[i];
        }
        return l;
    }
};

rankfold::operation make()
{
    return rankfold::host::make_operation(row_sum{});
}

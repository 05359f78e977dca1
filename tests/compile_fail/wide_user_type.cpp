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

struct row_sum {
    using input = row;
    using accumulator = row;
    using output = row;
    static constexpr bool commutative = true;
    static constexpr bool has_identity = false;
    row lift(row x, std::int64_t /*index*/) const { return x; }
    row combine(row l, row r) const
    {
        for (std::size_t i = 0; i < doubles; ++i) {
            l.x[i] += r.x[i];
        }
        return l;
    }
    row seal(row a, std::int64_t /*count*/) const { return a; }
    row lower(row a) const { return a; }
    row raise(row r) const { return r; }
};

rankfold::operation make()
{
    return rankfold::host::make_operation(row_sum{});
}

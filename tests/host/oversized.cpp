// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Must not compile with elements of 65 bytes; compiles with 64.
#include "rankfold/host/operation.hpp"

namespace {

struct element {
    char bytes[RANKFOLD_TEST_ELEMENT_BYTES];
};

struct last {
    using input = element;
    using accumulator = element;
    using output = element;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = false;
    element lift(element x, std::int64_t) const { return x; }
    element combine(element, element r) const { return r; }
    element seal(element a, std::int64_t) const { return a; }
    element lower(element a) const { return a; }
    element raise(element r) const { return r; }
};

} // namespace

rankfold::operation make()
{
    return rankfold::host::make_operation(last{});
}

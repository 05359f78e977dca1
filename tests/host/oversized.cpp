// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Must not compile with elements of 65 bytes; compiles with 64.
#include "rankfold/host/operation.hpp"

namespace {

struct element {
    char bytes[RANKFOLD_TEST_ELEMENT_BYTES];
};

struct last : rankfold::value_algebra<element> {
    element combine(element, element r) const { return r; }
};

} // namespace

rankfold::operation make()
{
    return rankfold::host::make_operation(last{});
}

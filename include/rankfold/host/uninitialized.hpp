// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace rankfold::host::detail {

/// Room for values that are constructed one by one: T needs no default.
template <class T, std::size_t Count>
union uninitialized {
    char none;
    T values[Count];
    uninitialized() : none{} {}
};

} // namespace rankfold::host::detail

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Text in fields of fixed size, which travel to other ranks as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace rankfold::detail {

/// Copies text into a fixed field, cut to fit and terminated.
template <std::size_t N>
void put(std::array<char, N>& field, std::string_view text)
{
    field.fill('\0');
    text.copy(field.data(), N - 1);
}

} // namespace rankfold::detail

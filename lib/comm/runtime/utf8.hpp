// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Text of users in fields of fixed length, and in JSON: characters beyond ASCII.
#pragma once

#include <cstddef>
#include <string_view>

namespace rankfold::detail {

/// Bytes of the UTF-8 character at the beginning of `text`; 0 if there is none (RFC 3629, section 4).
[[nodiscard]] constexpr std::size_t character_length(std::string_view text) noexcept
{
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text.empty()) {
        return 0;
    }
    const unsigned first = at(0);
    const std::size_t length = first < 0x80    ? 1
                               : first < 0xc2  ? 0 // within a character, or longer than need be
                               : first < 0xe0  ? 2
                               : first < 0xf0  ? 3
                               : first <= 0xf4 ? 4
                                               : 0;
    if (length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
    const bool no_character = (first == 0xed && at(1) > 0x9f) || (first == 0xf4 && at(1) > 0x8f);
    return length > 1 && (overlong || no_character) ? 0 : length;
}

} // namespace rankfold::detail

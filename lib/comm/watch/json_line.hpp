// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One JSON object on one line.
#pragma once

#include "runtime/utf8.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace rankfold::detail {

class json_line {
public:
    void add(std::string_view key, std::string_view value) { add_raw(key, quoted(value)); }
    void add(std::string_view key, const char* value) { add(key, std::string_view(value)); }
    void add(std::string_view key, std::int64_t value) { add_raw(key, std::to_string(value)); }
    void add(std::string_view key, std::optional<std::int64_t> value)
    {
        add_raw(key, value ? std::to_string(*value) : "null");
    }
    [[nodiscard]] std::string text() const { return "{" + members_ + "}\n"; }

private:
    void add_raw(std::string_view key, const std::string& value)
    {
        members_ += (members_.empty() ? "" : ", ") + quoted(key) + ": " + value;
    }

    /// UTF-8 as it is; U+FFFD for a byte that is none, where text was cut within a character, say.
    static std::string quoted(std::string_view text)
    {
        std::string result = "\"";
        while (!text.empty()) {
            const std::size_t length = character_length(text);
            const auto byte = static_cast<unsigned char>(text[0]);
            if (byte == '"' || byte == '\\') {
                result += {'\\', text[0]};
            } else if (byte < 0x20 || byte == 0x7f) {
                std::array<char, 8> escaped{};
                std::snprintf(escaped.data(), escaped.size(), "\\u%04x", unsigned{byte});
                result += escaped.data();
            } else {
                result += length > 0 ? text.substr(0, length) : "\xef\xbf\xbd";
            }
            text.remove_prefix(length > 0 ? length : 1);
        }
        return result + "\"";
    }

    std::string members_;
};

} // namespace rankfold::detail

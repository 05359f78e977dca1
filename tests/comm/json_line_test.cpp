// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Labels in flight records are the user's own characters, and whatever the bytes, the line is JSON.
#include "watch/json_line.hpp"

#include <gtest/gtest.h>

namespace rankfold::detail {
namespace {

std::string line_with(std::string_view label)
{
    json_line line;
    line.add("label", label);
    return line.text();
}

TEST(JsonLine, KeepsUtf8)
{
    for (const char* label : {"mass",
                              "Gr\xc3\xb6\xc3\x9f"
                              "e",
                              "\xe8\xb3\xaa\xe9\x87\x8f", "\xf0\x9f\x8c\x8a"}) {
        EXPECT_EQ(line_with(label), std::string("{\"label\": \"") + label + "\"}\n");
    }
}

TEST(JsonLine, EscapesWhatJsonDemands)
{
    EXPECT_EQ(line_with("a\"b\\c\n\x01"), "{\"label\": \"a\\\"b\\\\c\\u000a\\u0001\"}\n");
}

TEST(JsonLine, ReplacesBytesThatAreNoCharacter)
{
    const std::string unknown = "\xef\xbf\xbd";
    EXPECT_EQ(line_with("Gr\xc3"), "{\"label\": \"Gr" + unknown + "\"}\n") << "cut within a character";
    EXPECT_EQ(line_with("\xf6x"), "{\"label\": \"" + unknown + "x\"}\n") << "Latin-1";
    EXPECT_EQ(line_with("\xc0\xaf"), "{\"label\": \"" + unknown + unknown + "\"}\n") << "overlong";
    EXPECT_EQ(line_with("\xed\xa0\x80").find('\xed'), std::string::npos) << "half of a pair";
    EXPECT_EQ(line_with("\xf4\x90\x80\x80").find('\xf4'), std::string::npos) << "beyond the last character";
}

} // namespace
} // namespace rankfold::detail

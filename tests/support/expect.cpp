// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect.hpp"

namespace rankfold::test {

std::optional<error> error_of(const std::function<void()>& call)
{
    try {
        call();
    } catch (const error& failure) {
        return failure;
    }
    return std::nullopt;
}

testing::AssertionResult fails_with(errc code, std::initializer_list<std::string> words,
                                    const std::function<void()>& call)
{
    const std::optional<error> failure = error_of(call);
    if (!failure) {
        return testing::AssertionFailure() << "no error was thrown, expected " << to_string(code);
    }
    const std::string text = failure->what();
    if (failure->code() != code) {
        return testing::AssertionFailure() << "the error is " << to_string(failure->code()) << ", expected "
                                           << to_string(code) << ": " << text;
    }
    for (const std::string& word : words) {
        if (text.find(word) == std::string::npos) {
            return testing::AssertionFailure() << "the message lacks '" << word << "': " << text;
        }
    }
    return testing::AssertionSuccess();
}

} // namespace rankfold::test

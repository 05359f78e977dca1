// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Assertions that the distributed tests share.
#pragma once

#include "rankfold/error.hpp"
#include "rankfold/types.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace rankfold::test {

/// Equal in every bit: tells -0 from +0 and one NaN from another.
template <class T>
[[nodiscard]] bool same_bits(const T& x, const T& y)
{
    return std::memcmp(&x, &y, sizeof(T)) == 0;
}

template <class T>
[[nodiscard]] std::string as_text(const T& x)
{
    return testing::PrintToString(x);
}
template <class T>
[[nodiscard]] std::string as_text(const affine_map<T>& x)
{
    return "{" + as_text(x.a) + ", " + as_text(x.b) + "}";
}
template <class T>
[[nodiscard]] std::string as_text(const located<T>& x)
{
    return "{" + as_text(x.value) + " at " + as_text(x.index) + "}";
}

/// Names the first element that differs in its bits, not all of them.
template <class T>
[[nodiscard]] testing::AssertionResult same_elements(const std::vector<T>& actual,
                                                     const std::vector<T>& expected)
{
    if (actual.size() != expected.size()) {
        return testing::AssertionFailure() << actual.size() << " elements, expected " << expected.size();
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (!same_bits(actual[i], expected[i])) {
            return testing::AssertionFailure() << "element " << i << " of " << actual.size() << " is "
                                               << as_text(actual[i]) << ", expected " << as_text(expected[i]);
        }
    }
    return testing::AssertionSuccess();
}

/// The error that `call` throws, if it throws one.
[[nodiscard]] std::optional<error> error_of(const std::function<void()>& call);

/// `call` throws rankfold::error with this code, and its text has all the words. Every rank asserts this for
/// itself.
[[nodiscard]] testing::AssertionResult fails_with(errc code, std::initializer_list<std::string> words,
                                                  const std::function<void()>& call);

} // namespace rankfold::test

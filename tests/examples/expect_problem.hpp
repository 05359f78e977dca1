// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

/// Expects that `expression` throws an exception whose text contains `text`.
#define EXPECT_PROBLEM(expression, text)                                                                     \
    do {                                                                                                     \
        std::string problem = "nothing was thrown";                                                          \
        try {                                                                                                \
            static_cast<void>(expression);                                                                   \
        } catch (const std::exception& e) {                                                                  \
            problem = e.what();                                                                              \
        }                                                                                                    \
        EXPECT_NE(problem.find(text), std::string::npos) << problem;                                         \
    } while (false)

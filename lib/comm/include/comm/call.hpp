// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One call as it is told to other ranks and to the user.
#pragma once

#include "rankfold/execution.hpp"
#include "rankfold/slot.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace rankfold::detail {

/// Sent to other ranks as bytes when calls disagree or fail; fixed size.
struct call_description {
    std::uint64_t number = 0;
    fingerprint head{};
    std::uint32_t line = 0;
    std::int32_t root = 0;
    std::array<char, 48> label{};
    std::array<char, 96> file{};     ///< the end of the path, where it is longer
    std::array<char, 40> init{};     ///< the init as text, or empty
    std::array<char, 288> problem{}; ///< the usage error of this rank, or empty
};

/// What the library itself must know of a call to tell it to others.
struct call_facts {
    fingerprint head{};
    std::string init{}; ///< as text; empty without one
    int root = 0;       ///< of a reduce
};

call_description describe_call(std::uint64_t number, const call_facts& facts, const execution& where,
                               const std::string& problem);

/// "all_reduce sum float32 -> float64"
std::string what_of(const call_description& call);

/// "all_reduce sum float32 -> float64 'mass' at solver.cpp:12"
std::string to_text(const call_description& call);

/// In what the calls of ranks differ, in words: "the label, the plan".
std::string differences(const std::vector<std::optional<call_description>>& calls);

/// True where two ranks did the same call: everything but the error field.
bool same_call(fingerprint a, fingerprint b) noexcept;

} // namespace rankfold::detail

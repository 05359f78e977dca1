// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors are agreed between the ranks before any goes on, so that a rank that fails does not strand the
// others.
#pragma once

#include <rankfold/error.hpp>

#include <exception>
#include <mpi.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace field_stats {

/// Collective: every rank gives its problem, or an empty text. @throws rankfold::error on every rank, with
/// the problem and rank of all that have one, if any has
void agree(MPI_Comm comm, const std::string& problem);

/// Collective: does `work` and agrees on what it threw. `work` may make collective calls if it makes the same
/// on every rank until it returns or throws.
template <class Work>
auto together(MPI_Comm comm, Work&& work)
{
    using result = std::invoke_result_t<Work>;
    std::string problem;
    if constexpr (std::is_void_v<result>) {
        try {
            work();
        } catch (const std::exception& e) {
            problem = e.what();
        }
        agree(comm, problem);
    } else {
        std::optional<result> value;
        try {
            value.emplace(work());
        } catch (const std::exception& e) {
            problem = e.what();
        }
        agree(comm, problem);
        return std::move(*value);
    }
}

/// Collective: agrees that `text` is that of rank 0. @throws rankfold::error on every rank, saying `what`
/// differs
void require_same(MPI_Comm comm, std::string_view what, std::string_view text);

/// What MPI says of an error code.
[[nodiscard]] std::string mpi_text(int code);
/// @throws std::runtime_error naming `call` if `code` is not MPI_SUCCESS
void check_mpi(int code, std::string_view call);

/// Rank 0's text on every rank.
[[nodiscard]] std::string broadcast(MPI_Comm comm, std::string text);

} // namespace field_stats

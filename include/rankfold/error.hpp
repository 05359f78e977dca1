// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one exception of the library. Which calls throw what, and when: at each call, and at communicator.
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rankfold {

/// What went wrong.
enum class errc : std::uint8_t {
    success = 0,
    usage,       ///< an argument or environment value is wrong; the message names it
    mismatch,    ///< ranks made different calls
    timeout,     ///< the deadline passed, or a rank is gone; the message names the missing ranks
    unsupported, ///< right, but not compiled in or not possible on this machine
    out_of_memory,
    backend, ///< CUDA, NCCL, MPI, hwloc or the system failed
    failed,  ///< the communicator had failed before, with another code, or a user's operator threw; the
             ///< message tells the first reason
    busy,    ///< calls of one communicator overlapped on the GPU
};

/// Whose failure it is.
enum class error_origin : std::uint8_t { usage, cuda, nccl, mpi, hwloc, system };

[[nodiscard]] std::string_view to_string(errc code) noexcept;
[[nodiscard]] std::string_view to_string(error_origin origin) noexcept;

/// Every exception of the library. The text names argument, value, rank, and what would have been right.
class error : public std::runtime_error {
public:
    error(errc code, error_origin origin, int native_code, int rank, const std::string& text)
        : std::runtime_error(std::string(prefix) + text), code_(code), origin_(origin),
          native_code_(native_code), rank_(rank)
    {
    }

    /// what() without the leading "rankfold: ".
    [[nodiscard]] std::string text() const { return what() + prefix.size(); }
    [[nodiscard]] errc code() const noexcept { return code_; }
    [[nodiscard]] error_origin origin() const noexcept { return origin_; }
    /// The code of CUDA, NCCL, MPI or errno; 0 for usage.
    [[nodiscard]] int native_code() const noexcept { return native_code_; }
    /// The rank in the communicator that failed, -1 if none in particular.
    [[nodiscard]] int rank() const noexcept { return rank_; }

private:
    static constexpr std::string_view prefix = "rankfold: ";

    errc code_;
    error_origin origin_;
    int native_code_;
    int rank_;
};

namespace detail {
inline constexpr const char* empty_array_text =
    "the array is empty on all ranks, and the operator has no identity: give an init";
} // namespace detail

} // namespace rankfold

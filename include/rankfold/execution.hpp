// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where a call runs and what errors call it: the last argument of every call.
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

struct CUstream_st; // a cudaStream_t points to one

namespace rankfold {

/// A place in the caller's source: std::source_location, which not every compiler in use has.
struct source_location {
    const char* file = "";
    std::uint32_t line_number = 0;

    static constexpr source_location current(const char* file_name = __builtin_FILE(),
                                             std::uint32_t line = __builtin_LINE()) noexcept
    {
        return {file_name, line};
    }
};

/// How one call runs, and what it is called in errors. The last argument of every call: `{.stream = s, .label
/// = "mass"}`.
struct execution {
    /// The cudaStream_t that the call is ordered on: it starts after what is before it on the stream, and
    /// what comes after waits for it. Of this rank's GPU; it must live until the call has ended. Required for
    /// device memory; meaningless on the host backend. An optional, so that CUDA's legacy stream 0 is passed
    /// only by one who says so.
    ///
    /// Rankfold's kernels are launched with programmatic stream serialization (compute capability 9.0 and
    /// later): they may start before the kernel ahead of them on the stream has ended, and wait there until
    /// it has, with all that it has written. For that one kernel alone: a kernel of the caller's own that is
    /// launched with the same attribute has to call cudaGridDependencySynchronize() in every block, and
    /// before cudaTriggerProgrammaticLaunchCompletion() if it calls that; else it may end before a kernel
    /// ahead of it, whose results Rankfold's kernel would then read too early. Kernels launched without the
    /// attribute need nothing. communicator_options::overlap turns it off.
    ///
    /// It may have a part of the GPU, as in a green context: the same bits. A graph is replayed where it was
    /// captured for, on a stream with as many multiprocessors: on fewer its kernels may wait for ever.
    std::optional<CUstream_st*> stream{};
    /// Shown in error tables and flight records; the first 47 characters are copied before the call returns.
    std::string_view label{};
    /// Where the call stands in the caller's source, for errors; leave it alone. A function that wraps calls
    /// takes an execution of its own and hands it on, so that errors name its caller.
    source_location where = source_location::current();
};

} // namespace rankfold

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Test data in memory of the communicator's backend, so that one test runs on the host and on GPUs. The
// backend itself is chosen by RANKFOLD_BACKEND in the registration of the test.
#pragma once

#include "rankfold/array.hpp"
#include "rankfold/execution.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace rankfold::test {

/// The execution of a test's calls: on the cuda backend the legacy stream, which orders them with the copies.
[[nodiscard]] inline execution on_stream(const communicator& comm, std::string_view label = {},
                                         source_location where = source_location::current())
{
    execution result{.label = label, .where = where};
    if (comm.backend() == backend::cuda) {
        result.stream = nullptr;
    }
    return result;
}

/// Waits for what was queued by on_stream.
inline void finish(communicator& comm)
{
    comm.wait(nullptr);
}

template <class T>
[[nodiscard]] array<T> to_backend(const communicator& comm, const std::vector<T>& values)
{
    return array<T>(comm, std::span<const T>(values));
}

/// `blank` is what the vector holds before it is filled, for types without a default.
template <class T>
[[nodiscard]] std::vector<T> to_host(communicator& comm, const array<T>& values, const T& blank = T())
{
    finish(comm);
    std::vector<T> result(static_cast<std::size_t>(values.size()), blank);
    values.read(result);
    return result;
}

/// The first, or only, element.
template <class T>
[[nodiscard]] T first_of(communicator& comm, const array<T>& values)
{
    return to_host(comm, values).at(0);
}

} // namespace rankfold::test

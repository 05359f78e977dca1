// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is measured against what: contests, at one size matches, of two or more sides.
#pragma once

#include "gpu.hpp"

#include <memory>

namespace rankfold::bench {

using shared_memory = std::shared_ptr<device_memory>;
[[nodiscard]] inline shared_memory share_memory(std::size_t bytes)
{
    return std::make_shared<device_memory>(bytes);
}

template <class T>
shared_memory share_array(std::int64_t count)
{
    return share_memory(static_cast<std::size_t>(count) * sizeof(T));
}

/// One side of a match: what it enqueues on the stream, and where its result then stands.
struct side {
    std::string name; ///< own, cub, cub+nccl, mpi
    action run;
    shared_memory result;
    bool capturable = true;
};

/// Bytes of a result that mean something: padding is left out.
struct byte_range {
    std::size_t offset;
    std::size_t bytes;
};

/// A contest at one size, with its memory. The inputs are small integers, so that results are exact in every
/// type and every order, and those of all sides have equal bytes.
struct match {
    shared_memory input;
    std::vector<side> sides{}; ///< own first
    std::vector<byte_range> result;
    /// What the result ends with, computed on the host; empty where the sides are compared with each other
    /// only.
    std::vector<std::byte> ending{};

    [[nodiscard]] std::size_t result_bytes() const { return result.back().offset + result.back().bytes; }
};

/// What a time is set against.
enum class peak { none, read, copy };

/// One element type and operator.
struct contest {
    std::string type;
    std::string op;
    std::size_t element_bytes;
    peak against;
    double traffic; ///< bytes that the library reads and writes for each byte of the piece
    int arrays;     ///< in device memory, of the size of the piece
    bool compiled;  ///< false where the library was built without this type
    std::function<match(std::int64_t count)> prepare;
};

} // namespace rankfold::bench

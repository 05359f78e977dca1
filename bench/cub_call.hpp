// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "contest.hpp"

namespace rankfold::bench {

/// A call of CUB and the workspace that it asks for, in the manner of CUB: `call(nullptr, bytes)` asks,
/// `call(workspace, bytes)` enqueues.
[[nodiscard]] inline action
cub_call(const std::function<cudaError_t(void* workspace, std::size_t& bytes)>& call)
{
    std::size_t bytes = 0;
    check(call(nullptr, bytes), "CUB");
    return [call, bytes, workspace = share_memory(bytes)]() mutable {
        check(call(workspace->data(), bytes), "CUB");
    };
}

} // namespace rankfold::bench

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A child of fork has copies of the parent's communicators, but not its threads, nor a share in MPI and CUDA.
#pragma once

namespace rankfold::detail {

/// Counts, from the first call on, the forks that lie between the process of that call and this one: what was
/// made at another count belongs to a parent. Costs a load.
[[nodiscard]] unsigned forks() noexcept;

} // namespace rankfold::detail

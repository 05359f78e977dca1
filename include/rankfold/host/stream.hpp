// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results on their way from the first-level cache to memory.
#pragma once

#include <cstddef>

namespace rankfold::host {

/// Copies `bytes` from `from` to `to`, any alignment. `past_cache` writes whole cache lines without reading
/// them first and leaves nothing in the cache: for results larger than the cache.
void copy_out(void* to, const void* from, std::size_t bytes, bool past_cache);

/// Makes what this thread wrote past the cache visible in order, before it tells anybody.
void finish_past_cache();

/// True where results of this size do not fit the last-level cache beside the input.
[[nodiscard]] bool larger_than_cache(std::size_t bytes);

} // namespace rankfold::host

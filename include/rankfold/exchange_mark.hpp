// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>

namespace rankfold {

/// How far the GPU has come with the exchanges that a library does in kernels of its own, for the host to
/// read.
struct exchange_mark {
    std::uint32_t sequence; ///< 0 at first; odd while an exchange is under way
    std::uint32_t call;     ///< number of the call whose exchange it is
};

} // namespace rankfold

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One macro around every call into NCCL.
#pragma once

#include "rankfold/error.hpp"

#include <nccl.h>

namespace rankfold::detail {
[[noreturn]] void throw_nccl_error(ncclResult_t code, const char* what);
} // namespace rankfold::detail

#define RANKFOLD_NCCL(call)                                                                                  \
    do {                                                                                                     \
        if (const ncclResult_t rankfold_code = (call); rankfold_code != ncclSuccess) {                       \
            ::rankfold::detail::throw_nccl_error(rankfold_code, #call);                                      \
        }                                                                                                    \
    } while (false)

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One macro around every call into the CUDA runtime.
#pragma once

#include "rankfold/device/cuda_error.hpp"

#define RANKFOLD_CUDA(call) ::rankfold::device::check_cuda((call), #call)

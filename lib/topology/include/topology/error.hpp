// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace rankfold::topology {

/// What went wrong with the machine or the request, with the value and the remedy. This layer sees no other,
/// so the type is its own; callers translate it.
class topology_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace rankfold::topology

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a loop that waits for other ranks asks, over and over.
#pragma once

namespace rankfold::detail {

class wait_guard {
public:
    enum class verdict {
        go_on,
        late,  ///< the deadline has passed
        ended, ///< the communicator has failed, or a rank that is waited for is gone
    };
    virtual verdict ask() = 0;
    /// Gives a late wait a little more time, to tell the others about it.
    virtual void extend() = 0;

protected:
    ~wait_guard() = default;
};

} // namespace rankfold::detail

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Message tags on the duplicated communicator.
#pragma once

namespace rankfold::detail {

enum tag : int { tag_slots = 1, tag_overflow = 2, tag_description = 3, tag_deadline = 4, tag_failure = 5 };

} // namespace rankfold::detail

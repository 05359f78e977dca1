// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

namespace rankfold::host {

entries max_loc_entries()
{
    return entries_of<operator_id::max_loc>;
}

} // namespace rankfold::host

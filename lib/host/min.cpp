// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

namespace rankfold::host {

entries min_entries()
{
    return entries_of<operator_id::min>;
}

} // namespace rankfold::host

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

namespace rankfold::host {

entries logical_and_entries()
{
    return entries_of<operator_id::logical_and>;
}

entries logical_or_entries()
{
    return entries_of<operator_id::logical_or>;
}

} // namespace rankfold::host

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

namespace rankfold::host {

entries bit_and_entries()
{
    return entries_of<operator_id::bit_and>;
}

entries bit_or_entries()
{
    return entries_of<operator_id::bit_or>;
}

entries bit_xor_entries()
{
    return entries_of<operator_id::bit_xor>;
}

} // namespace rankfold::host

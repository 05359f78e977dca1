// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/index_set.hpp"

#include <hwloc.h>
#include <memory>
#include <type_traits>

namespace rankfold::topology {

struct destroy_topology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using hwloc_handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, destroy_topology>;

inline index_set to_index_set(hwloc_const_bitmap_t bitmap)
{
    index_set result;
    for (int i = hwloc_bitmap_first(bitmap); i >= 0 && i < index_set::limit; i = hwloc_bitmap_next(bitmap, i))
        result.insert(i);
    return result;
}

} // namespace rankfold::topology

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// A topology file from anybody: read, planned for and drawn, or refused. hwloc's own crashes on files that
// are no topology are kept out as the launcher does it, in a child process that only loads.
#include "process/in_child.hpp"
#include "show/show.hpp"
#include "topology/error.hpp"
#include "topology/load.hpp"
#include "topology/place.hpp"

#include <cstdint>
#include <cstdlib>
#include <hwloc.h>

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    setenv("HWLOC_HIDE_ERRORS", "2", 1);
    return 0;
}

namespace {

void load_only(const std::string& text)
{
    hwloc_topology_t topology = nullptr;
    hwloc_topology_init(&topology);
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_set_xmlbuffer(topology, text.c_str(), static_cast<int>(text.size() + 1)) == 0)
        hwloc_topology_load(topology);
    hwloc_topology_destroy(topology);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace rankfold;
    const std::string text(data, data + size);
    if (!launcher::ends_well([&] { load_only(text); }))
        return -1; // not for the corpus
    try {
        const topology::machine where = topology::load_xml_text(text);
        for (const int ranks : {1, 3}) {
            const topology::plan plan =
                place(where, {.ranks = ranks, .oversubscribe = true, .share_gpus = true});
            (void)launcher::show_text(where, plan);
            (void)launcher::show_json(where, plan);
            (void)launcher::show_svg(where, plan);
        }
    } catch (const topology::topology_error&) {
    }
    return 0;
}

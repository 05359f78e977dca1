// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// A topology file from anybody: read, planned for and drawn, or refused.
#include "show.hpp"
#include "topology/error.hpp"
#include "topology/load.hpp"
#include "topology/place.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    setenv("HWLOC_HIDE_ERRORS", "2", 1);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace rankfold;
    try {
        const topology::machine where = topology::load_xml_text(std::string(data, data + size));
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

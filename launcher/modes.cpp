// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes.hpp"

#include "node/job_launcher.hpp"
#include "process/in_child.hpp"
#include "process/launch_error.hpp"
#include "process/standard_streams.hpp"
#include "show/show.hpp"
#include "topology/load.hpp"

#include <fstream>

namespace rankfold::launcher {
namespace {

using topology::machine;

machine recorded_machine(const options& chosen)
{
    if (chosen.topology.empty())
        return topology::load_synthetic(chosen.synthetic);
    if (!ends_well([&] { topology::load_xml(chosen.topology); }))
        throw launch_error(
            "'" + chosen.topology +
            "' is not an hwloc topology: hwloc crashes on it (record one with: lstopo --of xml "
            "FILE.xml)");
    return topology::load_xml(chosen.topology);
}

} // namespace

machine choose_machine(const options& chosen)
{
    const bool recorded = !chosen.topology.empty() || !chosen.synthetic.empty();
    if (recorded && chosen.dry_run)
        return recorded_machine(chosen);
    check_sysfs("/sys");
    if (!recorded)
        return topology::load_live();
    machine other = recorded_machine(chosen);
    return chosen.bind ? as_live(std::move(other), topology::load_live()) : other;
}

void check_sysfs(const std::string& sysfs)
{
    const std::string file = sysfs + "/devices/system/cpu/online";
    if (!std::ifstream(file))
        throw launch_error(
            "'" + file +
            "' cannot be read, so the topology of this machine is unknown: mount sysfs on /sys, or start the "
            "program without rankfold-run");
}

topology::request make_request(const options& chosen, int ranks)
{
    topology::request wanted;
    wanted.ranks = ranks;
    wanted.cores_per_rank = chosen.cores_per_rank;
    wanted.smt = chosen.smt;
    wanted.oversubscribe = chosen.oversubscribe || !chosen.bind; // unbound ranks share cores anyway
    wanted.share_gpus = chosen.share_gpus;
    return wanted;
}

int dry_run(const options& chosen, const environment& variables)
{
    int ranks = chosen.ranks_per_node > 0 ? chosen.ranks_per_node : chosen.ranks;
    if (const auto position = chosen.ranks == 0 ? find_position(variables) : std::nullopt) {
        if (position->rank != 0)
            return 0; // one rank of the node prints for all
        ranks = ranks == 0 ? position->size : ranks;
    }
    if (ranks == 0)
        throw launch_error("how many ranks? Pass -n COUNT with --dry-run, or run it under mpirun or srun");
    const machine where = choose_machine(chosen);
    print(show(chosen.show, where, place(where, make_request(chosen, ranks))));
    return 0;
}

} // namespace rankfold::launcher

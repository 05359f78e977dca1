// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "show/show.hpp"
#include "topology/describe.hpp"

#include <nlohmann/json.hpp>

namespace rankfold::launcher {
namespace {

using nlohmann::ordered_json;
using topology::machine;
using topology::placement;
using topology::plan;

ordered_json gpu_json(const machine& where, const topology::gpu& device)
{
    const auto nodes = locate(where, {}, where.find_gpu(device.id()), {}).device_nodes;
    return {{"id", device.id()},   {"bus_id", device.bus_id},         {"uuid", device.uuid},
            {"name", device.name}, {"numa_nodes", nodes.to_vector()}, {"nvlink_group", device.nvlink_group}};
}

ordered_json machine_json(const machine& where)
{
    ordered_json numa = ordered_json::array();
    for (const topology::numa_node& node : where.numa_nodes)
        numa.push_back({{"os_index", node.os_index},
                        {"package", node.package},
                        {"has_cores", node.has_cores},
                        {"threads", node.threads.to_string()}});
    ordered_json gpus = ordered_json::array();
    for (const topology::gpu& device : where.gpus)
        gpus.push_back(gpu_json(where, device));
    ordered_json nics = ordered_json::array();
    for (const topology::nic& device : where.nics)
        nics.push_back({{"name", device.name}, {"bus_id", device.bus_id}, {"rdma", device.rdma}});
    return {{"source", where.source},
            {"packages", where.packages},
            {"cores", where.cores.size()},
            {"permitted_threads", where.allowed_threads.to_string()},
            {"permitted_memory_nodes", where.allowed_nodes.to_string()},
            {"numa_nodes", numa},
            {"gpus", gpus},
            {"nics", nics}};
}

ordered_json rank_json(const machine& where, const placement& rank, std::size_t number)
{
    const topology::locality place = locate(where, rank.threads, rank.gpu, {});
    const ordered_json none = nullptr;
    return {{"rank", number},
            {"gpu", rank.gpu < 0 ? none : ordered_json(where.gpus[static_cast<std::size_t>(rank.gpu)].id())},
            {"gpu_numa_nodes", (rank.gpu < 0 ? topology::index_set() : place.device_nodes).to_vector()},
            {"numa_nodes", place.thread_nodes.to_vector()},
            {"distance", place.distance},
            {"threads_local", place.threads_local},
            {"threads", rank.threads.to_string()},
            {"cores", rank.cores.size()},
            {"memory_nodes", rank.memory_nodes.to_vector()},
            {"omp_threads", rank.omp_threads},
            {"nic", rank.nic < 0 ? none : ordered_json(where.nics[static_cast<std::size_t>(rank.nic)].name)}};
}

} // namespace

std::string show_json(const machine& where, const plan& plan)
{
    ordered_json ranks = ordered_json::array();
    for (std::size_t r = 0; r < plan.ranks.size(); ++r)
        ranks.push_back(rank_json(where, plan.ranks[r], r));
    const ordered_json all{{"machine", machine_json(where)},
                           {"ranks", ranks},
                           {"notes", plan.notes},
                           {"warnings", plan.warnings}};
    return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace rankfold::launcher

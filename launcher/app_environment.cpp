// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "app_environment.hpp"

#include "process/launch_error.hpp"

namespace rankfold::launcher {
namespace {

using topology::index_set;
using topology::machine;
using topology::placement;

std::string place_of(const std::vector<int>& threads)
{
    std::string text;
    for (const int thread : threads)
        text.append(text.empty() ? "{" : ",").append(std::to_string(thread));
    return text + "}";
}

// One place for each OpenMP thread: a core, or with --smt a hardware thread.
std::string places(const machine& where, const placement& rank, bool smt)
{
    std::string text;
    const auto add = [&](const std::vector<int>& threads) {
        text.append(text.empty() ? "" : ",").append(place_of(threads));
    };
    for (const int c : rank.cores) {
        const index_set threads = where.cores[static_cast<std::size_t>(c)].threads & rank.threads;
        if (!smt) {
            add(threads.to_vector());
            continue;
        }
        for (const int thread : threads.to_vector())
            add({thread});
    }
    return text;
}

void add_gpu(const topology::gpu& device, bool alone, environment& added)
{
    added["RANKFOLD_DEVICE"] = device.id();
    if (!alone)
        return;
    if (device.uuid.empty())
        throw launch_error("--gpu-visible=one needs the uuid of GPU " + device.bus_id +
                           ", which the CUDA driver did not tell: leave it at all");
    added["CUDA_VISIBLE_DEVICES"] = device.uuid;
}

void add_nic(const topology::nic& device, environment& added)
{
    if (!device.rdma)
        return;
    added["UCX_NET_DEVICES"] = device.name + ":1";
    added["NCCL_IB_HCA"] = "=" + device.name; // = asks for this very name, not for a prefix
}

} // namespace

environment added_variables(const machine& where, const placement& rank, const options& chosen,
                            const environment& inherited)
{
    environment wanted;
    wanted["OMP_NUM_THREADS"] = std::to_string(rank.omp_threads);
    if (chosen.bind && !find(inherited, "GOMP_CPU_AFFINITY") && !find(inherited, "KMP_AFFINITY"))
        wanted["OMP_PLACES"] = places(where, rank, chosen.smt);
    if (chosen.nic && rank.nic >= 0)
        add_nic(where.nics[static_cast<std::size_t>(rank.nic)], wanted);
    std::erase_if(wanted, [&](const auto& variable) { return find(inherited, variable.first) != nullptr; });
    if (rank.gpu >= 0)
        add_gpu(where.gpus[static_cast<std::size_t>(rank.gpu)], chosen.one_visible_gpu, wanted);
    return wanted;
}

} // namespace rankfold::launcher

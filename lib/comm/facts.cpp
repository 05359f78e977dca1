// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "facts.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>

namespace rankfold::detail {
namespace {

using predicate = std::function<bool(const rank_facts&)>;

/// "0, 2, 3"
std::string ranks_where(const std::vector<rank_facts>& facts, const predicate& holds)
{
    std::string list;
    for (std::size_t r = 0; r < facts.size(); ++r) {
        if (holds(facts[r])) {
            list += (list.empty() ? "" : ", ") + std::to_string(r);
        }
    }
    return list;
}

bool all_of(const std::vector<rank_facts>& facts, const predicate& holds)
{
    return std::all_of(facts.begin(), facts.end(), holds);
}

/// "rank 0: host, rank 1: cuda"
std::string each_rank(const std::vector<rank_facts>& facts,
                      const std::function<std::string(const rank_facts&)>& text)
{
    std::string list;
    for (std::size_t r = 0; r < facts.size(); ++r) {
        list += (list.empty() ? "rank " : ", rank ") + std::to_string(r) + ": " + text(facts[r]);
    }
    return list;
}

void require_no_problems(const std::vector<rank_facts>& facts)
{
    std::string problems;
    int first = -1;
    for (std::size_t r = 0; r < facts.size(); ++r) {
        if (facts[r].problem[0] != '\0') {
            problems +=
                (problems.empty() ? "rank " : "; rank ") + std::to_string(r) + ": " + facts[r].problem.data();
            first = first < 0 ? static_cast<int>(r) : first;
        }
    }
    if (!problems.empty()) {
        throw_usage("communicator: " + problems, first);
    }
}

/// @throws error (usage) if ranks differ in what `text` says of them
void require_same(const std::vector<rank_facts>& facts, const char* what,
                  const std::function<std::string(const rank_facts&)>& text)
{
    if (!all_of(facts, [&](const rank_facts& f) { return text(f) == text(facts[0]); })) {
        throw_usage(std::string("communicator: ") + what + " must be the same on all ranks (" +
                    each_rank(facts, text) + ")");
    }
}

rankfold::backend choose_backend(const std::vector<rank_facts>& facts)
{
    const auto has_gpu = [](const rank_facts& f) { return f.device >= 0; };
    const auto no_gpu = [](const rank_facts& f) { return f.device < 0; };
    const rankfold::backend asked = facts[0].backend;
    if (asked == rankfold::backend::host ||
        (asked == rankfold::backend::automatic && all_of(facts, no_gpu))) {
        return rankfold::backend::host;
    }
    if (!all_of(facts, has_gpu)) {
        const auto missing = std::find_if(facts.begin(), facts.end(), no_gpu);
        const std::string both =
            asked == rankfold::backend::cuda
                ? "backend cuda needs a GPU on every rank"
                : "some ranks have a GPU and some have none (backend host would use none)";
        throw_usage("communicator: " + both + "; without a GPU: rank " + ranks_where(facts, no_gpu) + " (" +
                        missing->no_device.data() + ")",
                    static_cast<int>(missing - facts.begin()));
    }
    return rankfold::backend::cuda;
}

bool share_a_gpu(const std::vector<rank_facts>& facts)
{
    std::set<std::string> seen;
    return !all_of(facts, [&](const rank_facts& f) {
        return seen.insert(std::string(f.host.data()) + "/" + f.gpu_uuid.data()).second;
    });
}

/// Whether ranks can exchange as they ask to. `queued`: a GPU for each.
bool is_possible(rankfold::transport asked, bool alone, bool queued)
{
    switch (asked) {
    case rankfold::transport::self:
        return alone;
    case rankfold::transport::nccl:
    case rankfold::transport::peer:
        return queued;
    case rankfold::transport::automatic:
    case rankfold::transport::mpi:
        break;
    }
    return true;
}

void choose_transport(const std::vector<rank_facts>& facts, choice_of_path& path)
{
    const rankfold::transport asked = facts[0].transport;
    const bool alone = facts.size() == 1;
    const bool cuda = path.backend == rankfold::backend::cuda;
    const bool shared = cuda && share_a_gpu(facts);
    const bool queued = cuda && !shared;
    path.transport = alone    ? rankfold::transport::self
                     : queued ? rankfold::transport::nccl
                              : rankfold::transport::mpi;
    path.reason = shared ? "ranks share a GPU, which NCCL refuses"
                  : cuda ? "one GPU per rank"
                         : "host backend";
    if (!is_possible(asked, alone, queued)) {
        throw_usage("communicator: transport " + std::string(to_string(asked)) + " is not possible here (" +
                    path.reason + "); leave RANKFOLD_TRANSPORT unset to take " +
                    std::string(to_string(path.transport)));
    }
    if (alone) { // whatever of this is asked for, so that one environment serves all rank counts
        path.reason = "one rank";
    } else if (cuda && asked != rankfold::transport::automatic) {
        path.transport = asked;
        path.reason = "asked for";
    }
    if (shared) {
        path.warning =
            "ranks share a GPU (" +
            each_rank(facts, [](const rank_facts& f) { return std::string(f.gpu_bus_id.data()); }) +
            "); exchanges go through MPI and block. Start one rank per GPU for speed.";
    }
}

std::string nccl_version(int code)
{
    return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
           std::to_string(code % 100);
}

void require_nccl(const std::vector<rank_facts>& facts)
{
    require_same(facts, "the NCCL version", [](const rank_facts& f) { return nccl_version(f.nccl_runtime); });
    if (facts[0].nccl_runtime / 100 < facts[0].nccl_build / 100) {
        throw_usage("communicator: NCCL " + nccl_version(facts[0].nccl_runtime) +
                    " was loaded, but Rankfold was built with " + nccl_version(facts[0].nccl_build) +
                    "; load that version or a later one");
    }
}

} // namespace

choice_of_path choose_path(const std::vector<rank_facts>& facts)
{
    require_no_problems(facts);
    require_same(facts, "the Rankfold version",
                 [](const rank_facts& f) { return std::string(f.library_version.data()); });
    require_same(facts, "backend", [](const rank_facts& f) { return std::string(to_string(f.backend)); });
    require_same(facts, "transport", [](const rank_facts& f) { return std::string(to_string(f.transport)); });
    require_same(facts, "RANKFOLD_FAKE_NODE_SIZE", [](const rank_facts& f) {
        return std::to_string(f.fake_nodes.ranks) + (f.fake_nodes.cyclic ? ",cyclic" : "");
    });
    require_same(facts, "timeout_s", [](const rank_facts& f) { return std::to_string(f.timeout_s); });
    choice_of_path path{};
    path.backend = choose_backend(facts);
    choose_transport(facts, path);
    if (path.backend == rankfold::backend::cuda) {
        require_nccl(facts);
    } else if (const std::string starved =
                   ranks_where(facts, [](const rank_facts& f) { return f.starved != 0; });
               !starved.empty()) {
        path.warning =
            "rank " + starved +
            " bound to one core while other cores of the node idle; start with `mpirun --bind-to none` or "
            "`--map-by slot:PE=<cores per rank>` to use them";
    }
    return path;
}

int node_layout::index_of(int rank) const noexcept
{
    return static_cast<int>(std::find(rank_at.begin(), rank_at.end(), rank) - rank_at.begin());
}

node_layout lay_out_nodes(const std::vector<rank_facts>& facts)
{
    std::vector<std::vector<int>> nodes;
    for (std::size_t r = 0; r < facts.size(); ++r) {
        const auto node = static_cast<std::size_t>(facts[r].node);
        nodes.resize(std::max(nodes.size(), node + 1));
        nodes[node].push_back(static_cast<int>(r));
    }
    node_layout layout;
    for (const auto& ranks : nodes) {
        if (ranks.size() != nodes[0].size()) {
            return {};
        }
        layout.rank_at.insert(layout.rank_at.end(), ranks.begin(), ranks.end());
    }
    layout.ranks_per_node = static_cast<int>(nodes[0].size());
    return layout;
}

void pretend_nodes(std::vector<rank_facts>& facts)
{
    const node_size size = facts[0].fake_nodes;
    const int ranks = static_cast<int>(facts.size());
    for (int r = 0; size.ranks > 0 && r < ranks; ++r) {
        const int nodes = (ranks + size.ranks - 1) / size.ranks;
        facts[static_cast<std::size_t>(r)].node = size.cyclic ? r % nodes : r / size.ranks;
    }
}

std::string unique_name(const std::vector<rank_facts>& facts)
{
    const rank_facts& first = facts[0];
    return std::string(first.host.data()) + "-" + std::to_string(first.pid) + "-" +
           std::to_string(first.begin_us);
}

std::string describe_table(const std::vector<rank_facts>& facts, const choice_of_path& path,
                           double creation_ms, std::size_t device_bytes)
{
    const bool cuda = path.backend == rankfold::backend::cuda;
    const std::string memory =
        cuda ? "; holds " + std::to_string(device_bytes) + " bytes of GPU memory on each rank" : "";
    std::array<char, 512> line{};
    std::snprintf(
        line.data(), line.size(), "Rankfold: %zu ranks, backend %s, transport %s (%s)\nmade in %.1f ms%s\n",
        facts.size(), std::string(to_string(path.backend)).c_str(),
        std::string(to_string(path.transport)).c_str(), path.reason.c_str(), creation_ms, memory.c_str());
    std::string table = line.data();
    std::snprintf(line.data(), line.size(), "%6s %5s %-16s %8s %7s  %s\n", "rank", "node", "host", "pid",
                  "threads", cuda ? "GPU; locality" : "locality");
    table += line.data();
    for (std::size_t r = 0; r < facts.size(); ++r) {
        const rank_facts& f = facts[r];
        const std::string gpu = cuda ? std::string(f.gpu_bus_id.data()) + " " + f.gpu_name.data() +
                                           " (device " + std::to_string(f.device) + "); "
                                     : "";
        std::snprintf(line.data(), line.size(), "%6zu %5d %-16s %8d %7d  %s%s\n", r, f.node, f.host.data(),
                      f.pid, f.threads, gpu.c_str(), f.locality.data());
        table += line.data();
    }
    return table;
}

} // namespace rankfold::detail

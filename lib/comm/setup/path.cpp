// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/path.hpp"

#include "comm/error.hpp"
#include "runtime/seconds.hpp"
#include "transport/transport.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace rankfold::detail {
namespace {

using predicate = std::function<bool(const rank_info&)>;

/// "0, 2, 3"
std::string ranks_where(const std::vector<rank_info>& ranks, const predicate& holds)
{
    std::string list;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (holds(ranks[r])) {
            list += (list.empty() ? "" : ", ") + std::to_string(r);
        }
    }
    return list;
}

bool all_of(const std::vector<rank_info>& ranks, const predicate& holds)
{
    return std::all_of(ranks.begin(), ranks.end(), holds);
}

/// "rank 0: host, rank 1: cuda"
std::string each_rank(const std::vector<rank_info>& ranks,
                      const std::function<std::string(const rank_info&)>& text)
{
    std::string list;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        list += (list.empty() ? "rank " : ", rank ") + std::to_string(r) + ": " + text(ranks[r]);
    }
    return list;
}

void require_no_problems(const std::vector<rank_info>& ranks)
{
    std::string problems;
    int first = -1;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (ranks[r].problem[0] != '\0') {
            problems +=
                (problems.empty() ? "rank " : "; rank ") + std::to_string(r) + ": " + ranks[r].problem.data();
            first = first < 0 ? static_cast<int>(r) : first;
        }
    }
    if (!problems.empty()) {
        throw_usage("communicator: " + problems, first);
    }
}

/// @throws error (usage) if ranks differ in what `text` says of them
void require_same(const std::vector<rank_info>& ranks, const char* what,
                  const std::function<std::string(const rank_info&)>& text)
{
    if (!all_of(ranks, [&](const rank_info& f) { return text(f) == text(ranks[0]); })) {
        throw_usage(std::string("communicator: ") + what + " must be the same on all ranks (" +
                    each_rank(ranks, text) + ")");
    }
}

rankfold::backend choose_backend(const std::vector<rank_info>& ranks)
{
    const auto has_gpu = [](const rank_info& f) { return f.device >= 0; };
    const auto no_gpu = [](const rank_info& f) { return f.device < 0; };
    const rankfold::backend asked = ranks[0].backend;
    if (asked == rankfold::backend::host ||
        (asked == rankfold::backend::automatic && all_of(ranks, no_gpu))) {
        return rankfold::backend::host;
    }
    if (!all_of(ranks, has_gpu)) {
        const auto missing = std::find_if(ranks.begin(), ranks.end(), no_gpu);
        const std::string both =
            asked == rankfold::backend::cuda
                ? "backend cuda needs a GPU on every rank"
                : "some ranks have a GPU and some have none (backend host would use none)";
        throw_usage("communicator: " + both + "; without a GPU: rank " + ranks_where(ranks, no_gpu) + " (" +
                        missing->no_device.data() + ")",
                    static_cast<int>(missing - ranks.begin()));
    }
    return rankfold::backend::cuda;
}

bool share_a_gpu(const std::vector<rank_info>& ranks)
{
    std::set<std::string> seen;
    return !all_of(ranks, [&](const rank_info& f) {
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

void choose_transport(const std::vector<rank_info>& ranks, choice_of_path& path)
{
    const rankfold::transport asked = ranks[0].transport;
    const bool alone = ranks.size() == 1;
    const bool cuda = path.backend == rankfold::backend::cuda;
    const bool shared = cuda && share_a_gpu(ranks);
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
        path.warning = "ranks share a GPU (" +
                       each_rank(ranks, [](const rank_info& f) { return std::string(f.gpu_bus_id.data()); }) +
                       "); exchanges go through MPI and block. Start one rank per GPU for speed.";
    }
}

std::string nccl_version(int code)
{
    return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
           std::to_string(code % 100);
}

void require_nccl(const std::vector<rank_info>& ranks)
{
    require_same(ranks, "the NCCL version", [](const rank_info& f) { return nccl_version(f.nccl_runtime); });
    if (ranks[0].nccl_runtime / 100 < ranks[0].nccl_build / 100) {
        throw_usage("communicator: NCCL " + nccl_version(ranks[0].nccl_runtime) +
                    " was loaded, but Rankfold was built with " + nccl_version(ranks[0].nccl_build) +
                    "; load that version or a later one");
    }
}

} // namespace

choice_of_path choose_path(const std::vector<rank_info>& ranks)
{
    require_no_problems(ranks);
    require_same(ranks, "the Rankfold version",
                 [](const rank_info& f) { return std::string(f.library_version.data()); });
    require_same(ranks, "backend", [](const rank_info& f) { return std::string(to_string(f.backend)); });
    require_same(ranks, "transport", [](const rank_info& f) { return std::string(to_string(f.transport)); });
    require_same(ranks, "RANKFOLD_FAKE_NODE_SIZE", [](const rank_info& f) {
        return std::to_string(f.fake_nodes.ranks) + (f.fake_nodes.cyclic ? ",cyclic" : "");
    });
    require_same(ranks, "timeout_s", [](const rank_info& f) { return seconds_text(f.timeout_s); });
    require_same(ranks, "RANKFOLD_COEXIST", [](const rank_info& f) {
        return f.coexists == coexists_by_itself ? std::string("unset") : std::to_string(f.coexists);
    });
    choice_of_path path{};
    path.backend = choose_backend(ranks);
    choose_transport(ranks, path);
    if (path.backend == rankfold::backend::cuda) {
        require_nccl(ranks);
    } else if (const std::string starved =
                   ranks_where(ranks, [](const rank_info& f) { return f.starved != 0; });
               !starved.empty()) {
        path.warning =
            "rank " + starved +
            " bound to one core while other cores of the node idle; start with `mpirun --bind-to none` or "
            "`--map-by slot:PE=<cores per rank>` to use them";
    }
    return path;
}

std::shared_ptr<exchange_transport> make_transport(const transport_context& context, choice_of_path& path)
{
    switch (path.transport) {
    case rankfold::transport::self:
        return make_self_transport(context);
    case rankfold::transport::mpi:
        return make_mpi_transport(context);
    case rankfold::transport::nccl:
    case rankfold::transport::peer:
        return make_queued_transport(context, path);
    case rankfold::transport::automatic:
        break;
    }
    throw_usage("communicator: transport automatic was not resolved");
}

} // namespace rankfold::detail

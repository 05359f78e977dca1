// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/path.hpp"

#include <array>
#include <cstdio>

namespace rankfold::detail {

std::string describe_table(const std::vector<rank_info>& ranks, const choice_of_path& path,
                           double creation_ms, std::size_t device_bytes)
{
    const bool cuda = path.backend == rankfold::backend::cuda;
    const std::string memory =
        cuda ? "; holds " + std::to_string(device_bytes) + " bytes of GPU memory on each rank" : "";
    std::array<char, 512> line{};
    std::snprintf(
        line.data(), line.size(), "Rankfold: %zu ranks, backend %s, transport %s (%s)\nmade in %.1f ms%s\n",
        ranks.size(), std::string(to_string(path.backend)).c_str(),
        std::string(to_string(path.transport)).c_str(), path.reason.c_str(), creation_ms, memory.c_str());
    std::string table = line.data();
    std::snprintf(line.data(), line.size(), "%6s %5s %-16s %8s %7s  %s\n", "rank", "node", "host", "pid",
                  "threads", cuda ? "GPU; locality" : "locality");
    table += line.data();
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        const rank_info& f = ranks[r];
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

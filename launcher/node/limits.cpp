// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "node/limits.hpp"

#include "node/local_ranks.hpp"
#include "process/launch_error.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <tuple>
#include <unistd.h>

namespace rankfold::launcher {
namespace {

using topology::gpu;
using topology::machine;
using topology::rank_limit;

constexpr std::chrono::seconds patience{10};

bool job_launcher_limits_ranks(const machine& where)
{
    return !(where.allowed_threads == where.cgroup_threads) || !where.hidden_gpus.empty();
}

// Letters and digits only: it becomes a part of a file name.
std::string job_key(const local_position& position)
{
    std::string key = position.job.empty() ? "parent" + std::to_string(getppid()) : position.job;
    std::replace_if(
        key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return key.substr(0, 100);
}

std::string meeting_folder()
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path().string();
}

gpu foreign_gpu(const machine& where, const std::string& id)
{
    const auto hidden = std::find_if(where.hidden_gpus.begin(), where.hidden_gpus.end(),
                                     [&](const gpu& g) { return g.bus_id == id; });
    if (hidden != where.hidden_gpus.end())
        return *hidden;
    gpu device;
    device.mig = id.starts_with("MIG-");
    (device.mig ? device.uuid : device.bus_id) = id;
    return device;
}

void add_foreign_gpus(machine& where, const std::vector<rank_limit>& limits)
{
    for (const rank_limit& limit : limits)
        for (const std::string& id : limit.gpus.value_or(std::vector<std::string>()))
            if (where.find_gpu(id) < 0)
                where.gpus.push_back(foreign_gpu(where, id));
    std::sort(where.gpus.begin(), where.gpus.end(), [](const gpu& a, const gpu& b) {
        return std::tie(a.bus_id, a.uuid) < std::tie(b.bus_id, b.uuid);
    });
}

} // namespace

std::string limit_to_line(const rank_limit& limit)
{
    std::string line = limit.threads.to_string() + ";";
    if (!limit.gpus)
        return line + "*";
    for (std::size_t i = 0; i < limit.gpus->size(); ++i)
        line.append(i == 0 ? "" : ",").append((*limit.gpus)[i]);
    return line;
}

rank_limit limit_from_line(const std::string& line)
{
    const std::size_t semicolon = line.find(';');
    if (semicolon == line.npos)
        throw launch_error("'" + line + "' is not a rank's limit such as 0-3;0000:1b:00.0");
    rank_limit limit{.threads = topology::index_set::parse(line.substr(0, semicolon))};
    if (line.substr(semicolon + 1) == "*")
        return limit;
    limit.gpus.emplace();
    for (std::size_t begin = semicolon + 1; begin < line.size();) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        limit.gpus->push_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return limit;
}

std::vector<rank_limit> agree_on_limits(machine& where, const local_position& position)
{
    if (position.size == 1 || !job_launcher_limits_ranks(where))
        return {};
    rank_limit mine{.threads = where.allowed_threads, .gpus = std::vector<std::string>()};
    for (const gpu& device : where.gpus)
        mine.gpus->push_back(device.id());
    std::vector<rank_limit> limits;
    for (const std::string& line :
         exchange_with_local_ranks(meeting_folder(), job_key(position), position.rank, position.size,
                                   limit_to_line(mine), patience))
        limits.push_back(limit_from_line(line));
    add_foreign_gpus(where, limits);
    where.allowed_threads = where.cgroup_threads;
    return limits;
}

} // namespace rankfold::launcher

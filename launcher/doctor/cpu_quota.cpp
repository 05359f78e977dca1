// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// cgroup 2 has "max 100000" or "150000 100000" in one file; cgroup 1 has the two numbers in two files, -1 for
// no limit. A container often sees its own cgroup as the root, by whatever path the file names it.
#include "doctor/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace rankfold::launcher {
namespace {

double ratio(std::istream&& quota, std::istream&& period)
{
    double granted = 0;
    double of = 0;
    if (!(quota >> granted) || !(period >> of) || granted <= 0 || of <= 0) {
        return 0;
    }
    return granted / of;
}

double quota_in(const std::string& folder)
{
    std::string line;
    if (std::ifstream limits(folder + "/cpu.max"); std::getline(limits, line)) {
        return ratio(std::istringstream(line),
                     std::istringstream(line.substr(std::min(line.find(' '), line.size()))));
    }
    return ratio(std::ifstream(folder + "/cpu.cfs_quota_us"), std::ifstream(folder + "/cpu.cfs_period_us"));
}

/// Of a line "4:cpu,cpuacct:/path" or "0::/path": where the controller is mounted below the root, and the
/// path.
struct cgroup {
    std::string mount;
    std::string path;
};

std::vector<cgroup> groups_of(const std::string& own)
{
    std::vector<cgroup> groups;
    std::ifstream lines(own);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = std::min(line.find(':'), line.size());
        const std::size_t second = line.find(':', first + 1);
        if (second == line.npos) {
            continue;
        }
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        if (controllers == ",,") {
            groups.push_back({"", line.substr(second + 1)});
            groups.push_back({"/unified", line.substr(second + 1)}); // where both versions are mounted
        } else if (controllers.find(",cpu,") != controllers.npos) {
            groups.push_back({"/cpu", line.substr(second + 1)});
        }
    }
    return groups;
}

} // namespace

double cpu_quota(const std::string& root, const std::string& own)
{
    double least = 0;
    const auto take = [&](const std::string& folder) {
        const double quota = quota_in(folder);
        least = quota > 0 && (least == 0 || quota < least) ? quota : least;
    };
    for (const cgroup& group : groups_of(own)) {
        for (std::string path = group.path; path.size() > 1; path.erase(path.rfind('/'))) {
            take(root + group.mount + path);
        }
        take(root + group.mount);
    }
    return least;
}

} // namespace rankfold::launcher

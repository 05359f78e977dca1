// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace rankfold::bench {
namespace {

nlohmann::ordered_json json_of(const setting& about, const row& r)
{
    nlohmann::ordered_json result{{"section", "peers"},
                                  {"kind", about.kind},
                                  {"type", r.type},
                                  {"op", r.op},
                                  {"accuracy", "plain"},
                                  {"ranks", about.ranks},
                                  {"bytes", r.bytes},
                                  {"time_us", r.own_us},
                                  {"rival", r.rival},
                                  {"rival_time_us", r.rival_us},
                                  {"ratio", r.rival_us / r.own_us},
                                  {"peak_share", nullptr},
                                  {"wrong", r.wrong},
                                  {"graph", r.graph},
                                  {"gpu", about.gpu},
                                  {"transport", about.transport},
                                  {"date", today()},
                                  {"command", about.command}};
    if (r.peak_share) {
        result["peak_share"] = *r.peak_share;
    }
    return result;
}

} // namespace

std::string today()
{
    const std::time_t now = std::time(nullptr);
    char text[sizeof "2026-01-01"];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

report::report(const setting& about, const std::string& json, bool silent) : about_(about), silent_(silent)
{
    if (silent_) {
        return;
    }
    if (!json.empty()) {
        json_.open(json);
        if (!json_) {
            throw std::runtime_error("cannot write " + json);
        }
    }
    std::printf("%d x %s, transport %s; %s; medians of %d; us\n", about.ranks, about.gpu.c_str(),
                about.transport.c_str(), about.kind.c_str(), about.repeats);
    std::printf("%-15s %11s %6s %10s %8s %6s  %-9s %10s %6s %6s\n", "type", "bytes", "", "own", "GB/s",
                "peak", "rival", "its time", "ratio", "wrong");
}

void report::add(const row& r)
{
    all_right_ = all_right_ && r.wrong == 0;
    if (silent_) {
        return;
    }
    char share[16] = "";
    if (r.peak_share) {
        std::snprintf(share, sizeof share, "%.3f", *r.peak_share);
    }
    std::printf("%-15s %11zu %6s %10.2f %8.1f %6s  %-9s %10.2f %6.2f %6lld\n", r.type.c_str(), r.bytes,
                r.graph ? "graph" : "eager", r.own_us, r.gigabytes_per_s, share, r.rival.c_str(), r.rival_us,
                r.rival_us / r.own_us, static_cast<long long>(r.wrong));
    std::fflush(stdout);
    if (json_.is_open()) {
        json_ << json_of(about_, r).dump() << '\n';
    }
}

void report::skip(const std::string& type, const std::string& reason) const
{
    if (!silent_) {
        std::printf("%-15s skipped: %s\n", type.c_str(), reason.c_str());
    }
}

} // namespace rankfold::bench

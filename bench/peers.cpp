// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "peers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace rankfold::bench {
namespace {

/// What one contest took at one size.
struct outcome {
    double own_us;
    double rival_us;
    double peak_us; ///< of the copy or of the best read-only kernel, over the same bytes
    std::uint64_t wrong;
};

std::string today()
{
    const std::time_t now = std::time(nullptr);
    char text[sizeof "2026-01-01"];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

/// Calls between two events: enough that the events do not count.
int calls_for(std::size_t bytes)
{
    return bytes <= std::size_t{1} << 20 ? 50 : bytes <= std::size_t{64} << 20 ? 10 : 1;
}

class section {
public:
    section(const peers_options& options, const gpu& device) : options_(options), device_(device)
    {
        if (!options.json.empty()) {
            json_.open(options.json);
            if (!json_) {
                throw std::runtime_error("cannot write " + options.json);
            }
        }
        std::printf("%s, %s; medians of %d; eager and in a graph; us\n", device_.name.c_str(),
                    options.kind.c_str(), options.repeats);
        std::printf("%-15s %11s %6s %11s %11s %6s %6s %s\n", "type", "bytes", "", "own", "cub", "ratio",
                    "peak", "wrong");
    }

    void run(const contest& c)
    {
        if (!c.compiled()) {
            std::printf("%-15s skipped: the library was built without it (RANKFOLD_FULL=OFF)\n",
                        c.type.c_str());
            return;
        }
        for (std::size_t bytes = options_.min_bytes; bytes <= options_.max_bytes; bytes *= 4) {
            const auto count = static_cast<std::int64_t>(bytes / c.element_bytes);
            const std::size_t result_bytes = c.result_bytes(count);
            const std::size_t own_bytes = c.own_workspace_bytes(count);
            const std::size_t rival_bytes = c.rival_workspace_bytes(count);
            constexpr std::size_t spare = std::size_t{64} << 20;
            if (bytes + 2 * result_bytes + own_bytes + rival_bytes + spare > free_bytes()) {
                std::printf("%-15s %11zu skipped: does not fit the GPU's memory\n", c.type.c_str(), bytes);
                continue;
            }
            const device_memory input(bytes);
            const device_memory own(result_bytes + 64); // a record is an accumulator and a word
            const device_memory rival(std::max(result_bytes, std::size_t{64}));
            const device_memory own_workspace(own_bytes);
            const device_memory rival_workspace(std::max(rival_bytes, std::size_t{1}));
            const arena a{input.data(),           own.data(), rival.data(), own_workspace.data(),
                          rival_workspace.data(), rival_bytes};
            c.fill(a, count);
            for (const bool graph : {false, true}) {
                report(c, bytes, graph, measure(c, a, count, bytes, result_bytes, graph));
            }
        }
    }

    [[nodiscard]] bool all_right() const { return all_right_; }

private:
    outcome measure(const contest& c, const arena& a, std::int64_t count, std::size_t bytes,
                    std::size_t result_bytes, bool graph)
    {
        check(cudaMemsetAsync(a.own_result, 0xee, result_bytes, device_.stream), "memset");
        std::vector<action> actions{[&] { c.own(a, count); }, [&] { c.rival(a, count); }};
        const std::vector<action> peaks =
            options_.kind == "scan" ? std::vector<action>{copy(device_, a.input, a.rival_result, bytes)}
                                    : read_kernels(device_, a.input, bytes, a.rival_workspace);
        actions.insert(actions.begin(), peaks.begin(), peaks.end()); // the rival's results stand after a copy
        const std::vector<double> times =
            medians_us(device_, actions, {calls_for(bytes), options_.repeats, graph});
        const auto own_time = times.end() - 2;
        return {own_time[0], own_time[1], *std::min_element(times.begin(), own_time),
                different_bytes(device_, a.own_result, a.rival_result, result_bytes)};
    }

    void report(const contest& c, std::size_t bytes, bool graph, const outcome& o)
    {
        all_right_ = all_right_ && o.wrong == 0;
        std::printf("%-15s %11zu %6s %11.2f %11.2f %6.2f %6.3f %llu\n", c.type.c_str(), bytes,
                    graph ? "graph" : "eager", o.own_us, o.rival_us, o.rival_us / o.own_us,
                    o.peak_us / o.own_us, static_cast<unsigned long long>(o.wrong));
        std::fflush(stdout);
        if (json_.is_open()) {
            json_ << nlohmann::ordered_json{{"section", "peers"},
                                            {"kind", options_.kind},
                                            {"type", c.type},
                                            {"op", c.op},
                                            {"accuracy", "plain"},
                                            {"ranks", 1},
                                            {"bytes", bytes},
                                            {"time_us", o.own_us},
                                            {"rival", "cub"},
                                            {"rival_time_us", o.rival_us},
                                            {"ratio", o.rival_us / o.own_us},
                                            {"peak_share", o.peak_us / o.own_us},
                                            {"wrong", o.wrong},
                                            {"graph", graph},
                                            {"gpu", device_.name},
                                            {"date", today()},
                                            {"command", options_.command}}
                         .dump()
                  << '\n';
        }
    }

    peers_options options_;
    gpu device_;
    std::ofstream json_;
    bool all_right_ = true;
};

} // namespace

int run_peers(const peers_options& options)
{
    const gpu device = open_gpu();
    section here(options, device);
    for (const contest& c : options.kind == "scan" ? scan_contests(device) : reduce_contests(device)) {
        if (options.types.empty() ||
            std::find(options.types.begin(), options.types.end(), c.type) != options.types.end()) {
            here.run(c);
        }
    }
    return here.all_right() ? 0 : 1;
}

} // namespace rankfold::bench

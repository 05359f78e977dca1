// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ladder.hpp"

#include "../report.hpp"
#include "../timing.hpp"
#include "climb.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace rankfold::bench {
namespace {

using ladder::climb;
using ladder::error_climb;
using ladder::step;

/// Sizes of the articles, and a sweep below and between them; one that is no power of two among them.
std::vector<std::int64_t> default_counts(const std::string& kind)
{
    constexpr std::int64_t ki = 1024;
    if (kind == "reduce") {
        return {ki, 64 * ki, ki * ki, 10'000'019, 100'000'000};
    }
    return {ki, 4 * ki, 8 * ki, 64 * ki, ki * ki, 10'000'019, 64 * ki * ki};
}

/// Calls between two events, fewer where each takes long.
int calls_for(std::int64_t count)
{
    return count <= std::int64_t{1} << 20 ? 20 : 3;
}

class section {
public:
    section(const ladder_options& options, const group& ranks, const gpu& device)
        : options_(options), ranks_(ranks), device_(device), scan_(options.kind == "scan"),
          flushed_(share_memory(flush_bytes))
    {
        if (!options.json.empty()) {
            json_.open(options.json);
            if (!json_) {
                throw std::runtime_error("cannot write " + options.json);
            }
        }
    }

    /// All rungs at one size, with the L2 cache as the call before has left it and with one full of other
    /// data.
    void run(std::int64_t count)
    {
        climb c = scan_ ? ladder::scan_climb(device_, count) : ladder::reduce_climb(device_, count);
        select(c.steps);
        const std::vector<double> warm = times_of(c, count, false);
        const std::vector<std::int64_t> wrong = wrong_bytes(c);
        const std::vector<double> cold = times_of(c, count, true);
        print_heading(count);
        double before = 0; // of the fastest rung so far
        for (std::size_t i = 0; i < c.steps.size(); ++i) {
            add(c.steps[i], count,
                {.warm_us = warm[i + 1],
                 .cold_us = cold[i + 1],
                 .warm_share = warm[0] / warm[i + 1],
                 .cold_share = cold[0] / cold[i + 1],
                 .gain = before == 0 ? 1 : before / warm[i + 1],
                 .wrong = wrong[i]});
            before = i == 0 ? warm[i + 1] : std::min(before, warm[i + 1]);
        }
    }

    /// Errors of compensated sums beside plain ones.
    void run_errors(std::int64_t count)
    {
        const error_climb c = ladder::kahan_climb(device_, count);
        std::printf("\nerrors of a sum of %lld float32 that cancel, condition %.2g\n",
                    static_cast<long long>(count / 2 * 2), c.condition);
        for (const step& s : c.steps) {
            float value = 0;
            s.run();
            check(cudaMemcpyAsync(&value, s.result->data(), sizeof value, cudaMemcpyDefault, device_.stream),
                  "result");
            check(cudaStreamSynchronize(device_.stream), "result");
            const double error = std::abs(static_cast<double>(value) - c.exact) / std::abs(c.exact);
            std::printf("  %-28s %14.7g  relative error %.2g\n", s.name.c_str(), static_cast<double>(value),
                        error);
            write({{"section", "ladder"},
                   {"kind", "reduce"},
                   {"rung", s.name},
                   {"count", count / 2 * 2},
                   {"condition", c.condition},
                   {"relative_error", error}});
        }
    }

    [[nodiscard]] bool all_right() const { return all_right_; }

private:
    struct figures {
        double warm_us;
        double cold_us;
        double warm_share; ///< of the speed of a copy, or of reads alone
        double cold_share;
        double gain; ///< over the fastest of the rungs below
        std::int64_t wrong;
    };

    void select(std::vector<step>& steps) const
    {
        if (options_.rungs.empty()) {
            return;
        }
        std::erase_if(steps, [&](const step& s) {
            return std::find(options_.rungs.begin(), options_.rungs.end(), s.name) == options_.rungs.end();
        });
    }

    /// What sets the peak first, then the steps.
    std::vector<double> times_of(const climb& c, std::int64_t count, bool cold)
    {
        const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
        const shared_memory copied = share_memory(scan_ ? bytes : 64);
        std::vector<action> actions = scan_ ? copies(device_, c.input->data(), copied->data(), bytes, false)
                                            : read_kernels(device_, c.input->data(), bytes, copied->data());
        const auto peaks = static_cast<std::ptrdiff_t>(actions.size());
        for (const step& s : c.steps) {
            check(cudaMemsetAsync(s.result->data(), 0xee, c.result_bytes, device_.stream), "poison");
            actions.push_back(s.run);
        }
        timing how{.calls = cold ? 1 : calls_for(count), .repeats = options_.repeats, .graph = false};
        if (cold) {
            how.before = [memory = flushed_, stream = device_.stream] {
                check(cudaMemsetAsync(memory->data(), 0, flush_bytes, stream), "flush");
            };
        }
        std::vector<double> times = medians_us(ranks_, device_, actions, how);
        const double peak = *std::min_element(times.begin(), times.begin() + peaks);
        times.erase(times.begin(), times.begin() + peaks);
        times.insert(times.begin(), peak);
        return times;
    }

    std::vector<std::int64_t> wrong_bytes(const climb& c) const
    {
        const device_memory expected(c.result_bytes);
        check(cudaMemcpy(expected.data(), c.expected.data(), c.result_bytes, cudaMemcpyDefault), "expected");
        std::vector<std::int64_t> result;
        for (const step& s : c.steps) {
            result.push_back(different_bytes(device_, s.result->data(), expected.data(), c.result_bytes));
        }
        return result;
    }

    void print_heading(std::int64_t count) const
    {
        std::printf("\n%s, %lld float32; eager, medians of %d; us; share of %s\n", options_.kind.c_str(),
                    static_cast<long long>(count), options_.repeats,
                    scan_ ? "a copy (2 bytes moved a byte)" : "the read peak");
        std::printf("  %-28s %10s %8s %6s %6s %10s %6s %6s  %s\n", "rung", "warm L2", "GB/s", "share", "gain",
                    "cold L2", "share", "wrong", "the article says");
    }

    void add(const step& s, std::int64_t count, const figures& f)
    {
        all_right_ = all_right_ && f.wrong == 0;
        const double traffic = (scan_ ? 2.0 : 1.0) * static_cast<double>(count) * sizeof(float);
        std::printf("  %-28s %10.2f %8.1f %6.3f %6.2f %10.2f %6.3f %6lld  %s\n", s.name.c_str(), f.warm_us,
                    traffic / f.warm_us * 1e-3, f.warm_share, f.gain, f.cold_us, f.cold_share,
                    static_cast<long long>(f.wrong), s.claim.c_str());
        std::fflush(stdout);
        write({{"section", "ladder"},
               {"kind", options_.kind},
               {"rung", s.name},
               {"count", count},
               {"bytes", count * static_cast<std::int64_t>(sizeof(float))},
               {"time_us", f.warm_us},
               {"peak_share", f.warm_share},
               {"gain", f.gain},
               {"cold_time_us", f.cold_us},
               {"cold_peak_share", f.cold_share},
               {"wrong", f.wrong},
               {"mends", s.mends},
               {"claim", s.claim}});
    }

    void write(nlohmann::ordered_json row)
    {
        if (json_.is_open()) {
            row["gpu"] = device_.name;
            row["date"] = today();
            row["command"] = options_.command;
            json_ << row.dump() << '\n';
        }
    }

    static constexpr std::size_t flush_bytes = std::size_t{256} << 20; ///< several times the L2 cache

    const ladder_options& options_;
    const group& ranks_;
    gpu device_;
    bool scan_;
    shared_memory flushed_;
    std::ofstream json_;
    bool all_right_ = true;
};

} // namespace

int run_ladder(const ladder_options& options, const group& ranks)
{
    if (ranks.size() != 1) {
        throw std::runtime_error("ladder runs on one rank; several GPUs: peers " + options.kind);
    }
    const gpu device = open_gpu(0);
    section here(options, ranks, device);
    std::printf("%s; ladder %s\n", device.name.c_str(), options.kind.c_str());
    const std::vector<std::int64_t> counts =
        options.counts.empty() ? default_counts(options.kind) : options.counts;
    for (const std::int64_t count : counts) {
        here.run(count);
    }
    if (options.kind == "reduce") {
        here.run_errors(*std::max_element(counts.begin(), counts.end()));
    }
    return here.all_right() ? 0 : 1;
}

} // namespace rankfold::bench

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "peers.hpp"

#include "ranks.hpp"
#include "report.hpp"
#include "timing.hpp"

#include "rankfold/mpi.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace rankfold::bench {
namespace {

/// Calls between two events: enough that the events, and ranks that start apart, do not count.
int calls_for(std::size_t bytes)
{
    return bytes <= std::size_t{1} << 20 ? 50 : bytes <= std::size_t{64} << 20 ? 10 : 3;
}

/// Sizes of a piece by factors of 4. An exscan has a few values a rank, from one on.
std::vector<std::size_t> sizes_of(const peers_options& options, int ranks, std::size_t element_bytes)
{
    const bool few = options.kind == "exscan";
    constexpr std::size_t most_values = 64;
    const std::size_t most = few ? most_values * element_bytes : std::size_t{ranks > 1 ? 1U : 4U} << 30;
    const std::size_t last = std::min(options.max_bytes.value_or(most), few ? most : ~std::size_t{0});
    std::vector<std::size_t> result;
    for (std::size_t bytes = std::max(options.min_bytes.value_or(few ? 0 : 1 << 10), element_bytes);
         bytes <= last; bytes *= 4) {
        result.push_back(bytes / element_bytes * element_bytes);
    }
    return result;
}

class section {
public:
    section(const peers_options& options, const group& ranks, const gpu& device, report& out)
        : options_(options), ranks_(ranks), device_(device), out_(out), sink_(64)
    {
    }

    void run(const contest& c)
    {
        if (!options_.types.empty() &&
            std::find(options_.types.begin(), options_.types.end(), c.type) == options_.types.end()) {
            return;
        }
        if (!c.compiled) {
            return out_.skip(c.type, "the library was built without it (RANKFOLD_FULL=OFF)");
        }
        for (const std::size_t bytes : sizes_of(options_, ranks_.size(), c.element_bytes)) {
            if (!ranks_.all(fits(c, bytes))) {
                out_.skip(c.type, std::to_string(bytes) + " bytes do not fit the GPU's memory");
                continue;
            }
            const match m = c.prepare(static_cast<std::int64_t>(bytes / c.element_bytes));
            for (const bool graph : {false, true}) {
                if (graph ? !options_.only_eager : !options_.only_graph) {
                    measure(c, m, bytes, graph);
                }
            }
        }
    }

private:
    static bool fits(const contest& c, std::size_t bytes)
    {
        constexpr std::size_t spare = std::size_t{256} << 20;
        const std::size_t workspaces = bytes / 32;
        return static_cast<std::size_t>(c.arrays) * bytes + workspaces + spare < free_bytes();
    }

    /// Times own side and rivals in turn with what sets the peak, and compares what they have left.
    void measure(const contest& c, const match& m, std::size_t bytes, bool graph)
    {
        std::vector<side> sides;
        std::copy_if(m.sides.begin(), m.sides.end(), std::back_inserter(sides),
                     [graph](const side& s) { return s.capturable || !graph; });
        if (sides.size() < 2 || sides.front().name != "own") {
            return; // transport mpi, or no rival that a graph can hold
        }
        std::vector<action> actions = peaks(c, m, bytes, graph); // a copy is written over by the last side
        const auto first = static_cast<std::ptrdiff_t>(actions.size());
        for (const side& s : sides) {
            poison(m, s);
            actions.push_back(s.run);
        }
        const std::vector<double> times =
            medians_us(ranks_, device_, actions, {calls_for(bytes), options_.repeats, graph});

        row result = row_of(c, bytes, graph, {times.begin(), times.begin() + first},
                            times[static_cast<std::size_t>(first)]);
        for (std::size_t i = 1; i < sides.size(); ++i) {
            result.rival = sides[i].name;
            result.rival_us = times[static_cast<std::size_t>(first) + i];
            result.wrong = ranks_.sum(wrong_bytes(m, sides[0], sides[i]));
            out_.add(result);
        }
    }

    static row row_of(const contest& c, std::size_t bytes, bool graph, const std::vector<double>& peaks_us,
                      double own_us)
    {
        row result;
        result.type = c.type;
        result.op = c.op;
        result.bytes = bytes;
        result.graph = graph;
        result.own_us = own_us;
        result.gigabytes_per_s = c.traffic * static_cast<double>(bytes) / own_us * 1e-3;
        if (!peaks_us.empty()) {
            const double peak_traffic = c.against == peak::copy ? 2 : 1;
            const double peak_us = *std::min_element(peaks_us.begin(), peaks_us.end());
            result.peak_share = c.traffic / peak_traffic * peak_us / own_us;
        }
        return result;
    }

    void poison(const match& m, const side& s) const
    {
        check(cudaMemsetAsync(s.result->data(), 0xee, m.result_bytes(), device_.stream), "poison");
    }

    [[nodiscard]] std::vector<action> peaks(const contest& c, const match& m, std::size_t bytes,
                                            bool graph) const
    {
        switch (c.against) {
        case peak::read:
            return read_kernels(device_, m.input->data(), bytes, sink_.data());
        case peak::copy:
            return copies(device_, m.input->data(), m.sides.back().result->data(), bytes, graph);
        case peak::none:
            break;
        }
        return {};
    }

    /// Bytes in which own and rival differ, and own from what the host has computed.
    [[nodiscard]] std::int64_t wrong_bytes(const match& m, const side& own, const side& rival) const
    {
        std::int64_t wrong = wrong_ending(m, own);
        for (const byte_range& part : m.result) {
            wrong += different_bytes(device_, own.result->data() + part.offset,
                                     rival.result->data() + part.offset, part.bytes);
        }
        return wrong;
    }

    [[nodiscard]] static std::int64_t wrong_ending(const match& m, const side& own)
    {
        if (m.ending.empty()) {
            return 0;
        }
        std::vector<std::byte> ending(m.ending.size());
        const std::byte* begin = own.result->data() + m.result_bytes() - ending.size();
        check(cudaMemcpy(ending.data(), begin, ending.size(), cudaMemcpyDefault), "ending");
        return std::inner_product(ending.begin(), ending.end(), m.ending.begin(), std::int64_t{0},
                                  std::plus<>(), std::not_equal_to<>());
    }

    const peers_options& options_;
    const group& ranks_;
    gpu device_;
    report& out_;
    device_memory sink_;
};

int run_contests(const peers_options& options, const group& ranks, const gpu& device,
                 const std::string& transport, const std::vector<contest>& contests)
{
    report out({.kind = options.kind,
                .ranks = ranks.size(),
                .gpu = device.name,
                .transport = transport,
                .repeats = options.repeats,
                .command = options.command},
               options.json, ranks.rank() != 0);
    section here(options, ranks, device, out);
    for (const contest& c : contests) {
        here.run(c);
    }
    return out.all_right() ? 0 : 1;
}

int run_one_gpu(const peers_options& options, const group& ranks)
{
    if (options.kind == "exscan") {
        throw std::runtime_error("exscan takes two or more ranks: mpirun -n 2 rankfold-bench peers exscan");
    }
    const gpu device = open_gpu(0);
    return run_contests(options, ranks, device, "self",
                        options.kind == "scan" ? scan_contests(device) : reduce_contests(device));
}

int run_ranks(const peers_options& options, const group& ranks)
{
    const communicator own(ranks.comm(), {.backend = backend::cuda});
    const gpu device = open_gpu(own.device());
    std::optional<nccl_group> nccl;
    if (ranks.all_different(device.uuid.data(), device.uuid.size())) {
        nccl.emplace(ranks);
    }
    const party all{ranks, own, nccl ? &*nccl : nullptr, device};
    std::vector<contest> contests = options.kind == "reduce" ? reduce_contests(all)
                                    : options.kind == "scan" ? scan_contests(all)
                                                             : exscan_contests(all);
    return run_contests(options, ranks, device, std::string(to_string(own.transport())), contests);
}

} // namespace

int run_peers(const peers_options& options, const group& ranks)
{
    return ranks.size() == 1 ? run_one_gpu(options, ranks) : run_ranks(options, ranks);
}

} // namespace rankfold::bench

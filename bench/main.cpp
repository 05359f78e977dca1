// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// rankfold-bench: one section a subcommand.
//   peers reduce|scan   one GPU against CUB, eager and in a graph, with the peak of the same run
#include "peers.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

namespace {

std::string command_of(int argc, char** argv)
{
    std::string result = "rankfold-bench";
    for (int i = 1; i < argc; ++i) {
        result += std::string(" ") + argv[i];
    }
    return result;
}

} // namespace

int main(int argc, char** argv)
try {
    CLI::App app{"Measures Rankfold against its peers on the same machine in the same run."};
    app.require_subcommand(1);
    rankfold::bench::peers_options options;
    CLI::App* peers = app.add_subcommand("peers", "One GPU against CUB");
    peers->add_option("kind", options.kind, "reduce or scan")
        ->required()
        ->check(CLI::IsMember({"reduce", "scan"}));
    peers
        ->add_option("--types", options.types,
                     "Element types: int8 ... complex128, affine_float32, affine_float64; all if not given")
        ->delimiter(',');
    peers->add_option("--min-bytes", options.min_bytes, "Smallest input")->transform(CLI::AsSizeValue(false));
    peers->add_option("--max-bytes", options.max_bytes, "Largest input")->transform(CLI::AsSizeValue(false));
    peers->add_option("--repeats", options.repeats, "Of which the median is taken")
        ->check(CLI::Range(20, 100000));
    peers->add_option("--json", options.json, "File for one JSON line per result");
    CLI11_PARSE(app, argc, argv);

    options.command = command_of(argc, argv);
    return rankfold::bench::run_peers(options);
} catch (const std::exception& e) {
    std::fprintf(stderr, "rankfold-bench: %s\n", e.what());
    return 2;
}

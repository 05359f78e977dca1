// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// rankfold-bench: one section a subcommand.
//   peers reduce|scan                          one GPU: local phases against CUB
//   mpirun -n N ... peers reduce|scan|exscan   N GPUs: plans against CUB + NCCL and CUB + MPI
//   ladder reduce|scan                         one GPU: from naive to fast, rung by rung
#include "ladder/ladder.hpp"
#include "peers.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

namespace {

constexpr const char* about_peers =
    R"(The library against what one would write by hand, interleaved in one run, eager and in a CUDA graph;
every result is checked.
One rank: the local phases of reduce and (inclusive) scan against CUB, on one GPU.
Two or more (mpirun -n N): plans of reduce, (exclusive) scan and exscan against
  cub+nccl  CUB's reduction, ncclAllReduce or ncclAllGather and a kernel for the carry, CUB's scan
  mpi       the same through pinned host memory and MPI (eager only: it cannot be captured)
Times are medians over the repeats of the slowest rank. Bytes are those of one rank's piece; an exscan has
1 to 64 values a rank.
Peak, the share of which is shown: for reduce the best of four read-only kernels; for scan a device-to-device
copy of the piece, in graphs the better of a memcpy node and a copy kernel. A copy moves 2 bytes for each byte
of the piece; a scan counts as moving 2 on one rank and 3 on more, where the peak is 1.5 times the time of the
copy. exscan has none.)";

std::string command_of(int argc, char** argv, int ranks)
{
    std::string result =
        ranks > 1 ? "mpirun -n " + std::to_string(ranks) + " rankfold-bench" : "rankfold-bench";
    for (int i = 1; i < argc; ++i) {
        result += std::string(" ") + argv[i];
    }
    return result;
}

constexpr const char* about_ladder =
    R"(The climb of a reduction or an (inclusive) scan of float32 from naive to fast on one GPU, rung by rung in one
run, with the library and CUB at its top; every result is checked against sums of integers on the host.
Each rung is timed eagerly, back to back with a warm L2 cache, and alone after the cache was filled with other
data. Gain is over the fastest of the rungs below. bench/ladder/README.md tells what each rung mends.)";

void describe_ladder(CLI::App& app, rankfold::bench::ladder_options& options)
{
    CLI::App* ladder = app.add_subcommand("ladder", about_ladder);
    ladder->add_option("kind", options.kind, "reduce or scan")
        ->required()
        ->check(CLI::IsMember({"reduce", "scan"}));
    ladder
        ->add_option("--counts", options.counts,
                     "Elements; the sizes of the articles and a sweep if not given")
        ->delimiter(',')
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31));
    ladder->add_option("--rungs", options.rungs, "Only these rungs")->delimiter(',');
    ladder->add_option("--repeats", options.repeats, "Of which the median is taken")
        ->check(CLI::Range(1, 100000));
    ladder->add_option("--json", options.json, "File for one JSON line per rung and size");
}

void describe_peers(CLI::App& app, rankfold::bench::peers_options& options)
{
    CLI::App* peers = app.add_subcommand("peers", about_peers);
    peers->add_option("kind", options.kind, "reduce, scan or exscan")
        ->required()
        ->check(CLI::IsMember({"reduce", "scan", "exscan"}));
    peers
        ->add_option(
            "--types", options.types,
            "Element types; all if not given. One rank: int8 ... int64, float16, bfloat16, float32, float64, "
            "complex64, complex128, affine_float32, affine_float64; more: float32, float64, int32")
        ->delimiter(',');
    peers->add_option("--min-bytes", options.min_bytes, "Smallest piece")->transform(CLI::AsSizeValue(false));
    peers->add_option("--max-bytes", options.max_bytes, "Largest piece")->transform(CLI::AsSizeValue(false));
    CLI::Option* const graph = peers->add_flag("--graph", options.only_graph, "Only in a graph");
    peers->add_flag("--no-graph", options.only_eager, "Only eager")->excludes(graph);
    peers->add_option("--repeats", options.repeats, "Of which the median is taken")
        ->check(CLI::Range(1, 100000));
    peers->add_option("--json", options.json, "File for one JSON line per result");
}

/// Nothing is unwound: memory of a GPU that waits for other ranks could not be freed.
[[noreturn]] void end_all_ranks()
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        std::rethrow_exception(std::current_exception());
    } catch (const std::exception& e) {
        std::fprintf(stderr, "rankfold-bench: rank %d: %s\n", rank, e.what());
    } catch (...) {
        std::fprintf(stderr, "rankfold-bench: rank %d: unknown exception\n", rank);
    }
    MPI_Abort(MPI_COMM_WORLD, 2);
    std::abort();
}

int run(int argc, char** argv)
{
    const rankfold::bench::group ranks(MPI_COMM_WORLD);
    CLI::App app{"Measures Rankfold beside what else there is, on the same machine in the same run."};
    rankfold::bench::peers_options options;
    rankfold::bench::ladder_options climbing;
    options.command = climbing.command = command_of(argc, argv, ranks.size());
    app.require_subcommand(1);
    describe_peers(app, options);
    describe_ladder(app, climbing);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) { // the same on all ranks
        std::ostringstream unheard;
        return ranks.rank() == 0 ? app.exit(e) : app.exit(e, unheard, unheard);
    }
    return app.got_subcommand("ladder") ? rankfold::bench::run_ladder(climbing, ranks)
                                        : rankfold::bench::run_peers(options, ranks);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    std::set_terminate(end_all_ranks);
    const int status = run(argc, argv);
    MPI_Finalize();
    return status;
}

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// field_stats: count, sum, mean, extremes and where they are, root mean square and prefix sums of a field in
// a file, by any number of MPI ranks, with or without GPUs.
#include "interrupt.hpp"
#include "job.hpp"
#include "standard_streams.hpp"
#include "together.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <mpi.h>

namespace {

using field_stats::options;
using field_stats::say;

std::string joined(int argc, char** argv)
{
    std::string all;
    for (int i = 1; i < argc; ++i) {
        all += argv[i];
        all += '\0';
    }
    return all;
}

void print(const std::string& text)
{
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw std::runtime_error("cannot write to standard output");
    }
}

void run(int rank, int argc, char** argv)
{
    const options asked =
        field_stats::together(MPI_COMM_WORLD, [&] { return field_stats::parse(argc, argv); });
    field_stats::require_same(MPI_COMM_WORLD, "the command line", joined(argc, argv));
    std::string text = asked.text_to_print;
    if (text.empty()) {
        const field_stats::report report = field_stats::run_job(MPI_COMM_WORLD, asked);
        text = asked.json ? as_json(report) : as_text(report);
    }
    field_stats::together(MPI_COMM_WORLD, [&] {
        if (rank == 0) {
            print(text);
        }
    });
}

/// True for what the library raises on every rank alike; after anything else the ranks are out of step.
bool raised_together(rankfold::errc code)
{
    using rankfold::errc;
    return code == errc::usage || code == errc::mismatch || code == errc::unsupported ||
           code == errc::out_of_memory;
}

} // namespace

int main(int argc, char** argv)
{
    field_stats::settle_standard_streams();
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    field_stats::watch_for_interrupts(rank == 0);
    int exit_code = 1;
    try {
        run(rank, argc, argv);
        exit_code = 0;
    } catch (const rankfold::error& e) {
        if (!raised_together(e.code())) {
            say(fmt::format("field_stats: rank {}: {}\n", rank, e.what()));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (rank == 0) {
            say(fmt::format("field_stats: {}\n", e.what()));
        }
    } catch (const std::exception& e) {
        say(fmt::format("field_stats: rank {}: {}\n", rank, e.what()));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return exit_code;
}

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Run under mpirun by fault_test: some ranks stop, die or leave in a loop of reductions. Every rank that
// lives writes what it saw to <directory>/report.<rank> and what the library said to
// <directory>/stderr.<rank>, beside the flight records. Usage: fault_program stop|kill|exit|finish <ranks, as
// in 1,3> <directory>
#include "rankfold/mpi.hpp"
#include "rankfold/rankfold.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

/// Ranks that may come back are waited for until the deadline; others are not, however late that is.
rankfold::communicator_options deadlines_of(const std::string& scenario)
{
    return {.warn_s = 1.0, .timeout_s = scenario == "stop" ? 3.0 : 60.0};
}
constexpr int rounds_before = 50;

struct arguments {
    std::string scenario;
    std::vector<int> victims;
    std::string directory;
};

arguments parse(char** argv)
{
    arguments result{argv[1], {}, argv[3]};
    for (char* at = argv[2]; *at != '\0'; at += *at == ',') {
        result.victims.push_back(static_cast<int>(std::strtol(at, &at, 10)));
    }
    return result;
}

void suffer(const std::string& scenario)
{
    if (scenario == "stop") {
        raise(SIGSTOP);
    } else if (scenario == "kill") {
        raise(SIGKILL);
    } else if (scenario == "exit") {
        _exit(0);
    }
}

int reduced(const rankfold::communicator& comm)
{
    const std::vector<int> one{1};
    return rankfold::all_reduce<int>(comm, rankfold::sum, std::span(one), {}, {.label = "in the loop"});
}

/// Reduces until an error comes, and writes it down.
void reduce_until_error(const rankfold::communicator& comm, std::ofstream& report)
{
    const auto start = std::chrono::steady_clock::now();
    try {
        for (;;) {
            (void)reduced(comm);
        }
    } catch (const rankfold::error& failure) {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        report << "code=" << to_string(failure.code()) << "\nstatus=" << to_string(comm.status())
               << "\nafter_s=" << elapsed.count() << "\ntext=" << failure.what() << "\n";
    }
}

/// A communicator of the survivors, in the same process.
void carry_on(MPI_Comm world, const arguments& args, std::ofstream& report)
{
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group alive = MPI_GROUP_NULL;
    MPI_Comm survivors = MPI_COMM_NULL;
    MPI_Comm_group(world, &all);
    MPI_Group_excl(all, static_cast<int>(args.victims.size()), args.victims.data(), &alive);
    if (MPI_Comm_create_group(world, alive, 7, &survivors) != MPI_SUCCESS) {
        return;
    }
    {
        const rankfold::communicator comm(survivors, deadlines_of(args.scenario));
        int sum = 0;
        for (int i = 0; i < 10; ++i) {
            sum += reduced(comm);
        }
        report << "survivors=" << sum / 10 << "\n";
    }
    MPI_Barrier(survivors);
    MPI_Comm_free(&survivors);
    MPI_Group_free(&alive);
    MPI_Group_free(&all);
}

/// The lowest survivor lets the stopped ranks go on, so that the job can end.
void resume_stopped(const arguments& args, int rank, const std::vector<int>& pids)
{
    int lowest = 0;
    while (std::count(args.victims.begin(), args.victims.end(), lowest) != 0) {
        ++lowest;
    }
    for (const int v : args.victims) {
        if (rank == lowest && args.scenario == "stop") {
            kill(pids[static_cast<std::size_t>(v)], SIGCONT);
        }
    }
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const arguments args = parse(argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const bool victim = std::count(args.victims.begin(), args.victims.end(), rank) != 0;
    const std::string own = "." + std::to_string(rank);
    if (std::freopen((args.directory + "/stderr" + own).c_str(), "w", stderr) == nullptr) {
        return 1;
    }
    std::ofstream report(args.directory + "/report" + own);
    const int pid = getpid();
    std::vector<int> pids(static_cast<std::size_t>(size));
    MPI_Allgather(&pid, 1, MPI_INT, pids.data(), 1, MPI_INT, MPI_COMM_WORLD);
    report << "pid=" << pid << "\n";

    {
        rankfold::communicator_options options = deadlines_of(args.scenario);
        options.flight_dir = args.directory;
        const rankfold::communicator comm(MPI_COMM_WORLD, options);
        int sum = 0;
        for (int i = 0; i < rounds_before; ++i) {
            sum += reduced(comm);
        }
        report << "before=" << sum / rounds_before << std::endl;
        if (victim) {
            suffer(args.scenario); // a stopped rank goes on here, when a survivor lets it
        }
        if (!victim || args.scenario == "stop") {
            reduce_until_error(comm, report);
        }
    }
    report << "destroyed=1" << std::endl;
    if (!victim) {
        carry_on(MPI_COMM_WORLD, args, report);
        resume_stopped(args, rank, pids);
    }
    report << "finished=1" << std::endl;
    report.close();
    if (args.scenario == "kill" || args.scenario == "exit") {
        _exit(0); // Open MPI's finalize may wait for the dead for ever
    }
    MPI_Finalize();
    return 0;
}

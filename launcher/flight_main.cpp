// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// rankfold-flight FILES: merges the flight records of ranks and names the first call at which they diverge.
// Exit status: 0 none does, 1 one does, 2 bad input.
#include "flight_record.hpp"
#include "launch_error.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

namespace {

using namespace rankfold::launcher;

using records_by_communicator = std::map<std::string, std::vector<flight_record>>;

records_by_communicator read_all(const std::vector<std::string>& files)
{
    records_by_communicator all;
    for (const std::string& name : files) {
        std::ifstream in(name);
        flight_record record = read_flight_record(in, name);
        all[record.communicator].push_back(std::move(record));
    }
    return all;
}

int show_all(const records_by_communicator& all)
{
    int status = 0;
    for (const auto& [name, records] : all) {
        const auto found = first_divergence(records);
        std::cout << show_divergence(records, found);
        status = found ? 1 : status;
    }
    return status;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app(
        "Merges flight records (RANKFOLD_FLIGHT_DIR, communicator::write_flight_record) and names the "
        "first call at which ranks diverge",
        "rankfold-flight");
    std::vector<std::string> files;
    app.add_option("FILES", files, "the records of all ranks, of one or more communicators")->required();
    CLI11_PARSE(app, argc, argv);
    try {
        return show_all(read_all(files));
    } catch (const launch_error& error) {
        std::cerr << "rankfold-flight: " << error.what() << "\n";
        return error.status();
    }
}

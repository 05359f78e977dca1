// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// rankfold-flight FILES: merges the flight records of ranks and names the first call at which they diverge.
// Exit status: 0 none does, 1 one does, 2 bad input, 4 the answer could not be written.
#include "command_line.hpp"
#include "flight/flight_record.hpp"

#include <filesystem>
#include <fstream>

namespace {

using namespace rankfold::launcher;

using records_by_communicator = std::map<std::string, std::vector<flight_record>>;

flight_record read_file(const std::string& name)
{
    std::error_code failed;
    const auto status = std::filesystem::status(name, failed);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw launch_error(name + ": is not a regular file"); // a FIFO would be waited for
    }
    std::ifstream in(name);
    return read_flight_record(in, name);
}

records_by_communicator read_all(const std::vector<std::string>& files)
{
    records_by_communicator all;
    for (const std::string& name : files) {
        try {
            flight_record record = read_file(name);
            all[record.communicator].push_back(std::move(record));
        } catch (const cut_in_head& cut) {
            std::cerr << std::string("rankfold-flight: ") + cut.what() + ": left out\n";
        }
    }
    if (all.empty()) {
        throw launch_error("no file holds the record of a rank");
    }
    return all;
}

int show_all(const records_by_communicator& all)
{
    int status = 0;
    for (const auto& [name, records] : all) {
        const auto found = first_divergence(records);
        print(show_divergence(records, found));
        status = found ? 1 : status;
    }
    return status;
}

int run(int argc, char** argv)
{
    CLI::App app(
        "Merges flight records (RANKFOLD_FLIGHT_DIR, communicator::write_flight_record) and names the\n"
        "first call at which ranks diverge.\n"
        "Exit status: 0 none does, 1 one does, 2 bad input, 4 the answer could not be written.",
        "rankfold-flight");
    set_usage(app, "rankfold-flight FILES");
    std::vector<std::string> files;
    app.add_option("FILES", files, "the records of all ranks, of one or more communicators")->required();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return report(app, error);
    }
    return show_all(read_all(files));
}

} // namespace

int main(int argc, char** argv)
{
    reserve_standard_streams();
    try {
        return run(argc, argv);
    } catch (const launch_error& error) {
        std::cerr << "rankfold-flight: " << error.what() << "\n";
        return error.status();
    }
}

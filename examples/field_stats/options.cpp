// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <rankfold/version.hpp>

#include <CLI/CLI.hpp>

#include <map>
#include <stdexcept>

namespace field_stats {
namespace {

const std::map<std::string, file_format> formats{{"auto", file_format::automatic},
                                                 {"gtx", file_format::gtx},
                                                 {"npy", file_format::npy},
                                                 {"raw", file_format::raw}};
const std::map<std::string, number_type> types{{"float32", number_type::float32},
                                               {"float64", number_type::float64},
                                               {"int32", number_type::int32},
                                               {"int64", number_type::int64}};
const std::map<std::string, std::endian> orders{{"little", std::endian::little}, {"big", std::endian::big}};
const std::map<std::string, progress_mode> modes{
    {"auto", progress_mode::automatic}, {"always", progress_mode::always}, {"never", progress_mode::never}};

/// Adds an option whose value is one of the names of `values`.
template <class T, class Value>
void add_choice(CLI::App& app, const std::string& name, T& target, const std::map<std::string, Value>& values,
                const std::string& help)
{
    std::vector<std::string> names;
    for (const auto& [text, value] : values) {
        names.push_back(text);
    }
    app.add_option_function<std::string>(
           name, [&](const std::string& text) { target = values.at(text); }, help)
        ->check(CLI::IsMember(names));
}

} // namespace

options parse(int argc, const char* const* argv)
{
    options result;
    CLI::App app(
        "Statistics of a field of numbers in a file, read, reduced and scanned by all MPI ranks together.",
        "field_stats");
    app.set_version_flag("--version", "field_stats of Rankfold " RANKFOLD_VERSION);
    app.add_option("file", result.path, "The field: a .gtx grid, an .npy array, or raw numbers")->required();
    app.add_option(
        "--prefix-sum", result.prefix_sum_path,
        "Write the inclusive prefix sums here: .npy if named so, else raw little-endian;\n"
        "float64 of floating fields, int64 of integers; no-data values count as 0. A file of that\n"
        "name is replaced whole at the end, through links, and keeps mode and owner; one with\n"
        "several names (hard links) is refused, and its folder must be writable");
    app.add_flag("--json", result.json,
                 "Print JSON; numbers that it does not know are \"NaN\", \"Infinity\", \"-Infinity\"");
    add_choice(app, "--progress", result.progress, modes,
               "A line on stderr for what takes long; auto: if it is a terminal (under mpirun it is not)");
    add_choice(app, "--format", result.format, formats, "The layout, if the name does not tell");
    add_choice(app, "--type", result.raw.type, types, "Raw: type of the numbers");
    add_choice(app, "--endian", result.raw.endian, orders, "Raw: byte order; little if not given");
    app.add_option("--offset", result.raw.offset_bytes, "Raw: bytes before the first number");
    app.add_option("--count", result.raw.count, "Raw: how many numbers; as many as there are if not given");
    app.add_option("--shape", result.raw.shape, "Raw: extents, the last index runs fastest: 721,1440")
        ->delimiter(',')
        ->allow_extra_args(false);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForVersion& e) {
        result.text_to_print = std::string(e.what()) + "\n";
    } catch (const CLI::CallForHelp&) {
        result.text_to_print = app.help();
    } catch (const CLI::ParseError& e) {
        throw std::runtime_error(std::string("command line: ") + e.what() + "; see field_stats --help");
    }
    return result;
}

} // namespace field_stats

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "command_line.hpp"
#include "process/environment.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <rankfold/version.hpp>

namespace rankfold::launcher {
namespace {

std::string check_count(const std::string& text)
{
    const std::optional<int> value = parse_whole_number(text);
    return value && *value > 0 ? "" : "'" + text + "' is not a whole number from 1 to 1048575";
}

void add_placement(CLI::App& app, options& o)
{
    const CLI::Validator count(check_count, "COUNT");
    app.add_option("-n,--np", o.ranks, "start COUNT ranks through mpirun; without it, place this one rank")
        ->check(count);
    app.add_option("--ranks-per-node", o.ranks_per_node, "ranks on this node, where the starter does not say")
        ->check(count);
    app.add_option("--cores-per-rank", o.cores_per_rank, "default: an equal share of the NUMA node")
        ->check(count);
    app.add_flag("--smt", o.smt, "one OpenMP thread per hardware thread instead of per core");
    app.add_option_function<std::string>(
           "--gpu-visible", [&o](const std::string& which) { o.one_visible_gpu = which == "one"; },
           "all (default; peer access works) or one: hide the GPUs of other ranks")
        ->check(CLI::IsMember({"all", "one"}));
    app.add_flag("--nic", o.nic, "set UCX_NET_DEVICES and NCCL_IB_HCA to the nearest NIC, unless set");
    app.add_flag("--oversubscribe", o.oversubscribe, "let ranks share cores");
    app.add_flag("--share-gpus", o.share_gpus, "let ranks share GPUs");
    app.add_flag_callback(
        "--no-bind", [&o] { o.bind = false; }, "choose a GPU, but bind neither cores nor memory");
    app.add_flag("--strict", o.strict,
                 "exit 3 instead of starting the program if the binding does not hold, or its MPI is not the "
                 "starter's");
}

void add_source_and_output(CLI::App& app, options& o)
{
    static const std::map<std::string, show_form> forms{
        {"text", show_form::text}, {"json", show_form::json}, {"svg", show_form::svg}};
    CLI::Option* file =
        app.add_option("--topology", o.topology, "plan for a machine recorded by lstopo --of xml");
    app.add_option("--synthetic", o.synthetic, "plan for an hwloc synthetic machine: 'package:2 core:8 pu:2'")
        ->excludes(file);
    app.add_option_function<std::string>(
           "--show", [&o](const std::string& form) { o.show = forms.at(form); },
           "print the plan as text, json or svg")
        ->check(CLI::IsMember({"text", "json", "svg"}));
    app.add_flag("--dry-run", o.dry_run, "print the plan, start nothing");
    app.add_flag("--doctor", o.doctor, "say what is wrong on this machine and how to mend it");
    app.add_flag("-v,--verbose", o.verbose, "print what the kernel holds for each rank");
}

void add_mpirun_mode(CLI::App& app, options& o)
{
    app.add_flag("--print-command", o.print_command, "print the mpirun command line, start nothing");
    app.add_option("--mpirun", o.mpirun, "the starter (default: mpirun in PATH)");
    app.add_option("--mpirun-arg", o.mpirun_args, "hand an argument through to the starter; may be repeated")
        ->expected(1)
        ->take_all();
    app.add_flag("--allow-run-as-root", o.allow_root, "let mpirun run as root");
    app.add_flag("--under-mpirun-mode", o.under_mpirun_mode)->group("");
}

void check_together(const options& o)
{
    if (o.print_command && o.ranks == 0)
        throw CLI::ValidationError("--print-command", "needs -n COUNT");
    if (o.strict && !o.bind)
        throw CLI::ValidationError("--strict", "cannot hold with --no-bind");
    const bool start = !o.dry_run && !o.doctor;
    if (start && o.command.empty())
        throw CLI::ValidationError("no program given",
                                   "expected: rankfold-run [options] -- program [arguments]");
}

} // namespace

std::variant<options, int> parse_options(const std::vector<std::string>& arguments)
{
    options o;
    CLI::App app("Places MPI ranks on cores, memory and GPUs, and proves it.\n"
                 "  mpirun -n 8 rankfold-run -- ./app     place each rank, inside any starter\n"
                 "  rankfold-run -n 8 -- ./app            the same, calling mpirun",
                 "rankfold-run");
    set_usage(app, "rankfold-run [options] -- program [arguments]");
    app.set_version_flag("--version", std::string("rankfold-run ") + RANKFOLD_VERSION);
    app.prefix_command();
    add_placement(app, o);
    add_source_and_output(app, o);
    add_mpirun_mode(app, o);

    const auto separator = std::find(arguments.begin(), arguments.end(), "--");
    std::vector<std::string> own(arguments.begin(), separator);
    std::reverse(own.begin(), own.end()); // CLI11 takes them from the back
    try {
        app.parse(own);
        o.command = app.remaining();
        if (!o.command.empty() && o.command.front().starts_with("-"))
            throw CLI::ExtrasError({o.command.front()});
        if (separator != arguments.end())
            o.command.insert(o.command.end(), separator + 1, arguments.end());
        check_together(o);
    } catch (const CLI::ParseError& error) {
        return report(app, error);
    }
    return o;
}

std::vector<std::string> rank_arguments(const options& o)
{
    std::vector<std::string> arguments{"--under-mpirun-mode"};
    const auto flag = [&](bool on, const char* name) {
        if (on)
            arguments.emplace_back(name);
    };
    const auto value = [&](const std::string& text, const char* name) {
        if (!text.empty())
            arguments.insert(arguments.end(), {name, text});
    };
    value(o.cores_per_rank > 0 ? std::to_string(o.cores_per_rank) : "", "--cores-per-rank");
    value(o.ranks_per_node > 0 ? std::to_string(o.ranks_per_node) : "", "--ranks-per-node");
    value(o.topology, "--topology");
    value(o.synthetic, "--synthetic");
    value(o.one_visible_gpu ? "one" : "", "--gpu-visible");
    flag(o.smt, "--smt");
    flag(o.nic, "--nic");
    flag(o.oversubscribe, "--oversubscribe");
    flag(o.share_gpus, "--share-gpus");
    flag(!o.bind, "--no-bind");
    flag(o.strict, "--strict");
    flag(o.verbose, "--verbose");
    return arguments;
}

} // namespace rankfold::launcher

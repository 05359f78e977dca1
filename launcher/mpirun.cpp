// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpirun.hpp"

#include "process/launch_error.hpp"
#include "process/program.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace rankfold::launcher {
namespace {

bool is_open_mpi(mpirun_kind kind)
{
    return kind == mpirun_kind::open_mpi_4 || kind == mpirun_kind::open_mpi_5;
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

int major_version(std::string_view text, std::string_view after)
{
    const std::size_t begin = text.find(after) + after.size();
    const std::size_t end = text.find('.', begin);
    return parse_whole_number(text.substr(begin, end - begin)).value_or(0);
}

/// The same file without symbolic links in its folders. Open MPI takes the folder above that of an absolute
/// mpirun for its installation: with /bin/mpirun, where /bin is a link to /usr/bin, that would be the root.
std::string in_real_folder(const std::string& file)
{
    std::error_code failed;
    const std::filesystem::path path(file);
    const std::filesystem::path folder = std::filesystem::canonical(path.parent_path(), failed);
    return failed ? file : (folder / path.filename()).string();
}

/// "mpirun (Open MPI) 4.1.4", "HYDRA 4.0.2": MPICH prints a table.
std::string version_of(const std::string& text)
{
    const std::string first = text.substr(0, text.find('\n'));
    const std::size_t key = text.find("Version:");
    if (!first.starts_with("HYDRA") || key == text.npos) {
        return first;
    }
    const std::size_t begin = text.find_first_not_of(' ', key + 8);
    return begin == text.npos ? first : "HYDRA " + text.substr(begin, text.find('\n', begin) - begin);
}

} // namespace

mpirun_kind recognise(std::string_view text)
{
    constexpr std::string_view open_mpi = "(Open MPI) ";
    if (contains(text, open_mpi))
        return major_version(text, open_mpi) >= 5 ? mpirun_kind::open_mpi_5 : mpirun_kind::open_mpi_4;
    if (contains(text, "PRRTE") || contains(text, "prte"))
        return mpirun_kind::open_mpi_5;
    if (contains(text, "HYDRA") || contains(text, "Hydra") || contains(text, "Intel(R) MPI"))
        return mpirun_kind::hydra;
    return mpirun_kind::unknown;
}

std::optional<mpi_family> family_of(mpirun_kind kind)
{
    if (kind == mpirun_kind::unknown) {
        return std::nullopt;
    }
    return is_open_mpi(kind) ? mpi_family::open_mpi : mpi_family::mpich;
}

mpirun find_mpirun(const options& chosen, const environment& variables)
{
    mpirun found;
    try {
        found.file =
            in_real_folder(resolve_program(chosen.mpirun.empty() ? "mpirun" : chosen.mpirun, variables));
    } catch (const launch_error& error) {
        throw launch_error(std::string("no MPI starter: ") + error.what() +
                               "; install Open MPI or MPICH, or name the starter with --mpirun",
                           error.status());
    }
    const std::string text = output_of({found.file, "--version"});
    found.kind = recognise(text);
    found.version = version_of(text);
    return found;
}

std::vector<std::string> compose(const mpirun& starter, const options& chosen, const std::string& self)
{
    std::vector<std::string> line{starter.file, "-n", std::to_string(chosen.ranks)};
    const auto add = [&](std::initializer_list<const char*> words) {
        line.insert(line.end(), words.begin(), words.end());
    };
    if (is_open_mpi(starter.kind)) {
        add({"--bind-to", "none"});
        if (chosen.allow_root)
            add({"--allow-run-as-root"});
    }
    if (starter.kind == mpirun_kind::hydra)
        add({"-bind-to", "none"});
    if (chosen.oversubscribe && starter.kind == mpirun_kind::open_mpi_4)
        add({"--oversubscribe"});
    if (chosen.oversubscribe && starter.kind == mpirun_kind::open_mpi_5)
        add({"--map-by", ":OVERSUBSCRIBE"});
    line.insert(line.end(), chosen.mpirun_args.begin(), chosen.mpirun_args.end());
    line.push_back(self);
    const std::vector<std::string> for_ranks = rank_arguments(chosen);
    line.insert(line.end(), for_ranks.begin(), for_ranks.end());
    line.emplace_back("--");
    line.insert(line.end(), chosen.command.begin(), chosen.command.end());
    return line;
}

void check_root(const mpirun& starter, const options& chosen, const environment& variables, bool is_root)
{
    const bool permitted =
        find(variables, "OMPI_ALLOW_RUN_AS_ROOT") && find(variables, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
    if (is_root && is_open_mpi(starter.kind) && !chosen.allow_root && !permitted)
        throw launch_error(
            "this is the root user, whom mpirun refuses: pass --allow-run-as-root, set "
            "OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or run as an ordinary user");
}

bool has_allocation(const options& chosen, const environment& variables)
{
    constexpr std::array batch{"SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS",    "LSB_MCPU_HOSTS",
                               "PE_HOSTFILE",  "FLUX_JOB_ID",  "COBALT_JOBID", "HYDRA_HOST_FILE"};
    constexpr std::array hosts{"--hostfile", "-hostfile", "--machinefile", "-machinefile", "--host",
                               "-host",      "--hosts",   "-hosts",        "-H",           "-f"};
    const auto& given = chosen.mpirun_args;
    return std::any_of(batch.begin(), batch.end(),
                       [&](const char* name) { return find(variables, name) != nullptr; }) ||
           std::any_of(hosts.begin(), hosts.end(), [&](const char* name) {
               return std::find(given.begin(), given.end(), name) != given.end();
           });
}

} // namespace rankfold::launcher

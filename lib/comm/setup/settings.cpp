// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/settings.hpp"

#include "runtime/mpi_check.hpp"
#include "runtime/seconds.hpp"
#include "setup/variables.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace rankfold::detail {
namespace {

template <class Value>
struct choice {
    std::string_view name;
    Value value;
};

template <class Value, std::size_t Count>
void read_choice(variable which, const std::array<choice<Value>, Count>& choices, Value& value)
{
    const auto text = environment(which);
    if (!text) {
        return;
    }
    const auto found =
        std::find_if(choices.begin(), choices.end(), [&](const auto& c) { return c.name == *text; });
    if (found == choices.end()) {
        std::string expected;
        for (const auto& c : choices) {
            expected += (expected.empty() ? "" : ", ") + std::string(c.name);
        }
        throw_usage(std::string(which.name()) + " is '" + *text + "', must be one of " + expected);
    }
    value = found->value;
}

/// @return `seconds`, or the longest that clocks take
double checked_seconds(const char* name, const std::string& text, double seconds)
{
    if (!(seconds > 0)) {
        throw_usage(std::string(name) + " is '" + text +
                    "', must be a number of seconds above 0, or inf for no limit");
    }
    return std::min(seconds, longest_s);
}

void read_seconds(const char* name, const std::optional<double>& option, variable which, double& seconds)
{
    if (option) {
        seconds = checked_seconds(name, number_text(*option), *option);
        return;
    }
    if (const auto text = environment(which)) {
        double parsed = 0;
        const auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), parsed);
        const bool whole = status == std::errc() && end == text->data() + text->size();
        seconds = checked_seconds(which.name(), *text, whole ? parsed : -1);
    }
}

/// "2" or "2,cyclic"
node_size read_fake_nodes()
{
    const auto text = environment("RANKFOLD_FAKE_NODE_SIZE");
    if (!text) {
        return {};
    }
    node_size result;
    const auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), result.ranks);
    const std::string_view rest(end, static_cast<std::size_t>(text->data() + text->size() - end));
    result.cyclic = rest == ",cyclic";
    if (status != std::errc() || result.ranks < 1 || !(rest.empty() || result.cyclic)) {
        throw_usage(
            "RANKFOLD_FAKE_NODE_SIZE is '" + *text +
            "', must be a number of ranks above 0, with ',cyclic' behind it if neighbouring ranks are "
            "to be on different nodes");
    }
    return result;
}

/// As OpenMP itself reads it: blanks and a sign may stand before the number, blanks behind it.
int read_omp_threads()
{
    constexpr std::string_view blanks = " \t\n\r\f\v";
    const auto text = environment("OMP_NUM_THREADS");
    if (!text || text->empty()) {
        return 0;
    }
    // A list gives one number per nesting level; the outermost counts.
    std::string_view first = std::string_view(*text).substr(0, text->find(','));
    first.remove_prefix(std::min(first.find_first_not_of(blanks), first.size()));
    first.remove_prefix(first.starts_with('+') ? 1 : 0);
    int threads = 0;
    const auto [end, status] = std::from_chars(first.data(), first.data() + first.size(), threads);
    const std::string_view rest(end, static_cast<std::size_t>(first.data() + first.size() - end));
    if (status != std::errc() || rest.find_first_not_of(blanks) != rest.npos || threads < 1) {
        throw_usage("OMP_NUM_THREADS is '" + *text + "', must be a whole number above 0");
    }
    return threads;
}

/// @throws error (usage) if `device` cannot be the name of a GPU on any machine
void require_device_name(const std::string& device)
{
    const auto all_of = [](std::string_view text, std::string_view allowed) {
        return !text.empty() && text.find_first_not_of(allowed) == text.npos;
    };
    constexpr std::string_view digits = "0123456789";
    const std::string_view name = device;
    const bool ordinal = all_of(name, digits);
    const bool bus_id = name.find(':') != name.npos && name.find('.') != name.npos &&
                        all_of(name, "0123456789abcdefABCDEF:.");
    const std::string_view id = name.substr(name.find('-') == 3 ? 4 : 0); // behind "GPU-" or "MIG-"
    const bool uuid = id.find('-') == 8 && all_of(id, "0123456789abcdefABCDEF-");
    if (!ordinal && !bus_id && !uuid) {
        throw_usage("RANKFOLD_DEVICE is '" + device +
                    "', must be a CUDA ordinal or a PCI bus id such as 0000:3b:00.0");
    }
}

/// @param directory  of the option, else of the environment
std::string writable_directory(const std::optional<std::string>& directory)
{
    if (!directory) {
        return {};
    }
    std::error_code unreadable;
    if (!std::filesystem::is_directory(*directory, unreadable)) {
        throw_usage("RANKFOLD_FLIGHT_DIR is '" + *directory + "', must be a directory on every rank");
    }
    if (access(directory->c_str(), W_OK | X_OK) != 0) {
        throw_usage("RANKFOLD_FLIGHT_DIR is '" + *directory +
                    "', must be a directory in which files can be made: " + std::strerror(errno));
    }
    return *directory;
}

} // namespace

settings resolve_settings(const communicator_options& options)
{
    settings result;
    if (options.backend) {
        result.backend = *options.backend;
    } else {
        read_choice("RANKFOLD_BACKEND",
                    std::array{choice<rankfold::backend>{"automatic", rankfold::backend::automatic},
                               choice<rankfold::backend>{"cuda", rankfold::backend::cuda},
                               choice<rankfold::backend>{"host", rankfold::backend::host}},
                    result.backend);
    }
    if (options.transport) {
        result.transport = *options.transport;
    } else {
        using enum rankfold::transport;
        read_choice(
            "RANKFOLD_TRANSPORT",
            std::array{choice<rankfold::transport>{"automatic", automatic},
                       choice<rankfold::transport>{"self", self}, choice<rankfold::transport>{"peer", peer},
                       choice<rankfold::transport>{"nccl", nccl}, choice<rankfold::transport>{"mpi", mpi}},
            result.transport);
    }
    if (const auto device = options.device ? options.device : environment("RANKFOLD_DEVICE")) {
        require_device_name(*device);
        result.device = *device;
    }
    read_seconds("warn_s", options.warn_s, "RANKFOLD_WARN_S", result.warn_s);
    read_seconds("timeout_s", options.timeout_s, "RANKFOLD_TIMEOUT_S", result.timeout_s);
    if (options.coexist) {
        result.coexist = options.coexist;
    } else {
        read_choice(
            "RANKFOLD_COEXIST",
            std::array{choice<std::optional<bool>>{"0", false}, choice<std::optional<bool>>{"1", true}},
            result.coexist);
    }
    if (options.overlap) {
        result.overlap = *options.overlap;
    } else {
        read_choice("RANKFOLD_OVERLAP", std::array{choice<bool>{"0", false}, choice<bool>{"1", true}},
                    result.overlap);
    }
    result.omp_threads = read_omp_threads();
    result.fake_nodes = read_fake_nodes();
    read_choice("RANKFOLD_DEBUG",
                std::array{choice<log_level>{"WARN", log_level::warn},
                           choice<log_level>{"INFO", log_level::info},
                           choice<log_level>{"TRACE", log_level::trace}},
                result.level);
    result.log_file = environment("RANKFOLD_DEBUG_FILE").value_or("");
    result.flight_dir =
        writable_directory(options.flight_dir ? options.flight_dir : environment("RANKFOLD_FLIGHT_DIR"));
    return result;
}

} // namespace rankfold::detail

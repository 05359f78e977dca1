// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/log.hpp"

#include "runtime/mpi_check.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace rankfold::detail {
namespace {

std::string expand(const std::string& pattern)
{
    std::string path;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.compare(i, 2, "%h") == 0) {
            path += host_name();
            ++i;
        } else if (pattern.compare(i, 2, "%p") == 0) {
            path += std::to_string(getpid());
            ++i;
        } else {
            path += pattern[i];
        }
    }
    return path;
}

const char* name_of(log_level level)
{
    switch (level) {
    case log_level::none:
        return "NONE";
    case log_level::warn:
        return "WARN";
    case log_level::info:
        return "INFO";
    case log_level::trace:
        return "TRACE";
    }
    return "?";
}

} // namespace

std::string host_name()
{
    std::array<char, 64> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

logger::logger(log_level level, const std::string& file)
    : level_(level), prefix_(host_name() + ":" + std::to_string(getpid())), file_(stderr)
{
    if (!file.empty()) {
        file_ = std::fopen(expand(file).c_str(), "a");
        if (file_ == nullptr) {
            throw_usage("RANKFOLD_DEBUG_FILE: cannot open '" + expand(file) + "': " + std::strerror(errno));
        }
    }
}

logger::~logger()
{
    if (file_ != stderr) {
        std::fclose(static_cast<FILE*>(file_));
    }
}

void logger::write(log_level level, const std::string& text) const noexcept
{
    if (enabled(level)) {
        std::fprintf(static_cast<FILE*>(file_), "%s [%d] RANKFOLD %s %s\n", prefix_.c_str(), rank_,
                     name_of(level), text.c_str());
        std::fflush(static_cast<FILE*>(file_));
    }
}

} // namespace rankfold::detail

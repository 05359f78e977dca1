// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "together.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

namespace field_stats {
namespace {

constexpr std::size_t longest_problem = 500; // characters kept of each rank's problem
constexpr std::size_t ranks_named = 8;

std::vector<std::string> problems_of_all(MPI_Comm comm, const std::string& problem)
{
    int size = 0;
    MPI_Comm_size(comm, &size);
    const int length = static_cast<int>(std::min(problem.size(), longest_problem));
    std::vector<int> lengths(static_cast<std::size_t>(size));
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
    std::vector<int> starts(lengths.size() + 1, 0);
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        starts[r + 1] = starts[r] + lengths[r];
    }
    std::string all(static_cast<std::size_t>(starts.back()), '\0');
    MPI_Allgatherv(problem.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
                   comm);
    std::vector<std::string> problems;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        problems.push_back(
            all.substr(static_cast<std::size_t>(starts[r]), static_cast<std::size_t>(lengths[r])));
    }
    return problems;
}

std::string ranks_text(const std::vector<int>& ranks, std::size_t size)
{
    if (ranks.size() == size) {
        return size == 1 ? "rank 0" : "all ranks";
    }
    const std::vector<int> named(ranks.begin(),
                                 ranks.begin() + static_cast<int>(std::min(ranks.size(), ranks_named)));
    return fmt::format("rank{} {}{}", ranks.size() == 1 ? "" : "s", fmt::join(named, ", "),
                       ranks.size() > ranks_named ? fmt::format(" and {} more", ranks.size() - ranks_named)
                                                  : "");
}

} // namespace

void agree(MPI_Comm comm, const std::string& problem)
{
    const int failed = problem.empty() ? 0 : 1;
    int any_failed = 0;
    MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, comm);
    if (any_failed == 0) {
        return;
    }
    const std::vector<std::string> problems = problems_of_all(comm, problem);
    std::map<std::string, std::vector<int>> ranks_of;
    std::vector<std::string> in_rank_order;
    for (std::size_t r = 0; r < problems.size(); ++r) {
        if (!problems[r].empty()) {
            std::vector<int>& ranks = ranks_of[problems[r]];
            if (ranks.empty()) {
                in_rank_order.push_back(problems[r]);
            }
            ranks.push_back(static_cast<int>(r));
        }
    }
    std::vector<std::string> lines;
    for (const std::string& text : in_rank_order) {
        lines.push_back(fmt::format("{} ({})", text, ranks_text(ranks_of[text], problems.size())));
    }
    const int first = ranks_of[in_rank_order.front()].front();
    throw rankfold::error(rankfold::errc::usage, rankfold::error_origin::system, 0, first,
                          fmt::format("{}", fmt::join(lines, "\n")));
}

std::string broadcast(MPI_Comm comm, std::string text)
{
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, comm);
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
    return text;
}

void require_same(MPI_Comm comm, std::string_view what, std::string_view text)
{
    const std::string first = broadcast(comm, std::string(text));
    agree(comm, first == text ? "" : fmt::format("{} differs from that of rank 0", what));
}

std::string mpi_text(int code)
{
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    return {text, static_cast<std::size_t>(length)};
}

void check_mpi(int code, std::string_view call)
{
    if (code != MPI_SUCCESS) {
        throw std::runtime_error(fmt::format("{}: {}", call, mpi_text(code)));
    }
}

} // namespace field_stats

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include "output_file.hpp"
#include "piece_file.hpp"
#include "together.hpp"

#include <rankfold/mpi.hpp>

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

namespace field_stats {
namespace {

/// Reads the head on every rank: a rank that cannot, or that sees another file under that name, is found
/// here.
layout agreed_layout(MPI_Comm comm, const options& asked)
{
    const file_head head = together(comm, [&] { return read_head(asked.path); });
    const std::string_view bytes(reinterpret_cast<const char*>(head.bytes.data()), head.bytes.size());
    require_same(comm, asked.path + ": length", std::to_string(head.file_bytes));
    require_same(comm, asked.path + ": content", bytes);

    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    return together(comm, [&] {
        layout where = layout_of(head, asked.format, asked.raw);
        if (where.count < ranks) {
            throw std::runtime_error(
                fmt::format("{}: holds {} numbers, fewer than the {} ranks; start at most {}", asked.path,
                            where.count, ranks, std::max<std::int64_t>(where.count, 1)));
        }
        return where;
    });
}

/// The head that the file of prefix sums begins with: none if it is raw.
std::string prefix_head(const options& asked, const layout& where, number_type type)
{
    return asked.prefix_sum_path.ends_with(".npy") ? npy_head(type, where.shape) : std::string();
}

template <class T>
statistics run_typed(const rankfold::communicator& ranks, MPI_Comm comm, const options& asked,
                     const layout& where)
{
    constexpr number_type sum_type = std::is_floating_point_v<T> ? number_type::float64 : number_type::int64;
    const std::string head = prefix_head(asked, where, sum_type);
    std::unique_ptr<output_file> output;
    if (!asked.prefix_sum_path.empty()) {
        const std::int64_t bytes = static_cast<std::int64_t>(head.size()) + where.count * bytes_of(sum_type);
        output = std::make_unique<output_file>(comm, asked.prefix_sum_path, asked.path, bytes);
    }

    progress bar(asked.progress, ranks.rank() == 0);
    bar.begin("reading", where.count * static_cast<std::int64_t>(sizeof(T)));
    std::vector<T> mine = read_piece<T>(comm, asked.path, where, bar);
    bar.end();

    const std::optional<T> no_data =
        where.no_data ? std::optional(static_cast<T>(*where.no_data)) : std::nullopt;
    statistics result = statistics_of(ranks, std::span(mine), no_data);

    if (output) {
        std::vector<prefix_type<T>> sums = prefix_sums(ranks, std::span<const T>(mine));
        bar.begin("writing", where.count * static_cast<std::int64_t>(sizeof(prefix_type<T>)));
        write_field(comm, *output, head, where.count, std::span(sums), bar);
        bar.end();
    }
    return result;
}

statistics run_any(const rankfold::communicator& ranks, MPI_Comm comm, const options& asked,
                   const layout& where)
{
    switch (where.type) {
    case number_type::float32:
        return run_typed<float>(ranks, comm, asked, where);
    case number_type::float64:
        return run_typed<double>(ranks, comm, asked, where);
    case number_type::int32:
        return run_typed<std::int32_t>(ranks, comm, asked, where);
    case number_type::int64:
        return run_typed<std::int64_t>(ranks, comm, asked, where);
    }
    throw std::logic_error("number_type");
}

} // namespace

report run_job(MPI_Comm comm, const options& asked)
{
    const layout where = agreed_layout(comm, asked);
    const rankfold::communicator ranks(comm);
    return {.path = asked.path,
            .where = where,
            .values = run_any(ranks, comm, asked, where),
            .prefix_sum_path = asked.prefix_sum_path,
            .ranks = ranks.size(),
            .backend = std::string(rankfold::to_string(ranks.backend())),
            .transport = std::string(rankfold::to_string(ranks.transport()))};
}

} // namespace field_stats

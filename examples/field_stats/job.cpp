// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include "output_file.hpp"
#include "piece_file.hpp"
#include "together.hpp"

#include <rankfold/mpi.hpp>

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
    return together(comm, [&] { return layout_of(head, asked.format, asked.raw); });
}

/// The head that the file of prefix sums begins with: none if it is raw.
std::string prefix_head(const options& asked, const layout& where, number_type type)
{
    return asked.prefix_sum_path.ends_with(".npy") ? npy_head(type, where.shape) : std::string();
}

template <class T>
statistics run_typed(const rankfold::communicator& ranks, MPI_Comm comm, const options& asked,
                     const layout& where, progress& bar)
{
    constexpr number_type sum_type = std::is_floating_point_v<T> ? number_type::float64 : number_type::int64;
    const std::string head = prefix_head(asked, where, sum_type);
    std::unique_ptr<output_file> output;
    if (!asked.prefix_sum_path.empty()) {
        const std::int64_t bytes = static_cast<std::int64_t>(head.size()) + where.count * bytes_of(sum_type);
        output = std::make_unique<output_file>(comm, asked.prefix_sum_path, asked.path, bytes);
    }

    bar.begin("reading", where.count * static_cast<std::int64_t>(sizeof(T)));
    std::vector<T> mine = read_piece<T>(comm, asked.path, where, bar);
    bar.begin("computing");

    statistics result = statistics_of(ranks, std::span(mine), where.no_data);

    if (output) {
        std::vector<prefix_type<T>> sums = prefix_sums(ranks, std::span<const T>(mine));
        bar.begin("writing", where.count * static_cast<std::int64_t>(sizeof(prefix_type<T>)));
        write_field(comm, *output, head, where.count, std::span(sums), bar);
    }
    return result;
}

statistics run_any(const rankfold::communicator& ranks, MPI_Comm comm, const options& asked,
                   const layout& where, progress& bar)
{
    switch (where.type) {
    case number_type::float32:
        return run_typed<float>(ranks, comm, asked, where, bar);
    case number_type::float64:
        return run_typed<double>(ranks, comm, asked, where, bar);
    case number_type::int32:
        return run_typed<std::int32_t>(ranks, comm, asked, where, bar);
    case number_type::int64:
        return run_typed<std::int64_t>(ranks, comm, asked, where, bar);
    }
    throw std::logic_error("number_type");
}

} // namespace

report run_job(MPI_Comm comm, const options& asked)
{
    const layout where = agreed_layout(comm, asked);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    progress bar(asked.progress, rank == 0);
    bar.begin("starting");
    const rankfold::communicator ranks(comm);
    const statistics values = run_any(ranks, comm, asked, where, bar);
    bar.end();
    return {.path = asked.path,
            .where = where,
            .values = values,
            .prefix_sum_path = asked.prefix_sum_path,
            .ranks = ranks.size(),
            .backend = std::string(rankfold::to_string(ranks.backend())),
            .transport = std::string(rankfold::to_string(ranks.transport()))};
}

} // namespace field_stats

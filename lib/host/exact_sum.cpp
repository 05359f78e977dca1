// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exact sums: the host phases.
//
//   reduce      each thread adds a stretch of the piece to a total of its own; merged, they make the short
//               records and the wide ones
//   fold        adds the records of the ranks, short or wide, and the init, and rounds once
//   exscan      records are the values; the fold adds those of the lower ranks
#include "exact_total.hpp"

#include "host_backend/builtin.hpp"
#include "rankfold/host/partials.hpp"
#include "rankfold/permitted.hpp"

#include <algorithm>

namespace rankfold::host {
namespace {

using detail::read_as;

template <class T>
using total_of = exact_total<detail::sums_of<T>>;

template <class In>
std::size_t workspace_bytes(std::int64_t /*max_count*/, const place& place)
{
    return static_cast<std::size_t>(std::max(place.threads, 1)) * sizeof(total_of<In>) +
           alignof(total_of<In>);
}

template <class In>
void reduce(const operation&, const reduce_task& task, const place& place)
{
    // Whole blocks go to each thread. How they are cut changes no bits.
    constexpr std::int64_t block = block_elements<In>;
    const std::int64_t blocks = block_count<In>(task.count);
    const std::int64_t stretches =
        std::min<std::int64_t>(std::max(place.threads, 1), std::max<std::int64_t>(blocks, 1));
    const auto* x = static_cast<const In*>(task.input);
    auto* totals = detail::aligned_in<total_of<In>>(task.workspace);
    for_each_block(place.threads, stretches, walk::forwards, [=, count = task.count](std::int64_t s) {
        const std::int64_t begin = blocks * s / stretches * block;
        const std::int64_t end = std::min(blocks * (s + 1) / stretches * block, count);
        std::construct_at(&totals[s])->add(x + begin, end - begin);
    });
    for (std::int64_t s = 1; s < stretches; ++s) {
        totals[0].merge(totals[s]);
    }
    totals[0].write(task.record, task.wide);
}

const std::byte* at(const std::byte* records, std::size_t stride, int rank)
{
    return records ? records + static_cast<std::size_t>(rank) * stride : nullptr;
}

template <class In>
bool needs_wide(const operation&, const fold_task& task)
{
    for (int r = 0; r < task.ranks; ++r) {
        const auto records = read_as<typename total_of<In>::short_records>(at(task.records, task.stride, r));
        if (std::any_of(records.begin(), records.end(), [](const auto& x) { return x.outside != 0; })) {
            return true;
        }
    }
    return false;
}

/// A total that the init has entered.
template <class Out>
total_of<Out> total_with(const init_value& init)
{
    total_of<Out> total;
    if (init.given) {
        total.add(read_as<Out>(init.bytes.data()));
    }
    return total;
}

template <class Out>
void write_result(total_of<Out>& total, void* result)
{
    const Out rounded = total.template lower<Out>();
    std::memcpy(result, &rounded, sizeof rounded);
}

template <class In, class Out>
void fold(const operation&, const fold_task& task, const place&)
{
    if (task.total == nullptr) {
        return;
    }
    auto total = total_with<Out>(task.init);
    for (int r = 0; r < task.ranks; ++r) {
        total.merge(read_as<typename total_of<In>::short_records>(at(task.records, task.stride, r)),
                    at(task.wide, task.wide_stride, r));
    }
    write_result<Out>(total, task.total);
}

template <class In>
void lift_values(const operation&, const lift_task& task, const place&)
{
    const auto* values = static_cast<const In*>(task.values);
    for (int k = 0; k < task.count; ++k) {
        write_record(task.records + static_cast<std::size_t>(k) * record_bytes(sizeof(In)),
                     partial<In>(values[k]));
    }
}

template <class In, class Out>
void fold_values(const operation&, const fold_task& task, const place&)
{
    for (std::size_t k = 0; k < static_cast<std::size_t>(task.record_count); ++k) {
        auto total = total_with<Out>(task.init);
        for (int r = 0; r <= task.ranks; ++r) {
            if (r == task.rank && task.prefix) {
                write_result<Out>(total, static_cast<std::byte*>(task.prefix) + k * sizeof(Out));
            }
            if (r < task.ranks) {
                total.add(read_as<In>(at(task.records, task.stride, r) + k * record_bytes(sizeof(In))));
            }
        }
        if (task.total) {
            write_result<Out>(total, static_cast<std::byte*>(task.total) + k * sizeof(Out));
        }
    }
}

template <class In, class Out>
void make_reduction(operation& sum)
{
    using total = total_of<In>;
    sum.accumulator_bytes = sizeof(typename total::short_records) - 4; // a record has four bytes more
    static_assert(record_bytes(sizeof(typename total::short_records) - 4) ==
                  sizeof(typename total::short_records));
    sum.wide_bytes = sizeof(typename total::wide_records);
    sum.host = {};
    sum.host.workspace_bytes = workspace_bytes<In>;
    sum.host.reduce = reduce<In>;
    sum.host.needs_wide = needs_wide<In>;
    sum.host.fold = fold<In, Out>;
}

template <class In, class Out>
void make_exscan(operation& sum)
{
    sum.accumulator_bytes = sizeof(In);
    sum.host = {};
    sum.host.workspace_bytes = workspace_bytes<In>;
    sum.host.lift = lift_values<In>;
    sum.host.fold = fold_values<In, Out>;
}

struct exact_entry {
    element_type in;
    element_type out;
    void (*reduction)(operation&);
    void (*exscan)(operation&);
};

template <class In, class Out>
constexpr exact_entry entry_of()
{
    static_assert(permitted<operator_id::sum, In, Out>);
    return {element_type_of<In>, element_type_of<Out>, make_reduction<In, Out>, make_exscan<In, Out>};
}

constexpr std::array entries{
    entry_of<float16, float16>(),
    entry_of<float16, float>(),
    entry_of<bfloat16, bfloat16>(),
    entry_of<bfloat16, float>(),
    entry_of<float, float>(),
    entry_of<float, double>(),
    entry_of<double, double>(),
    entry_of<complex<float>, complex<float>>(),
    entry_of<complex<float>, complex<double>>(),
    entry_of<complex<double>, complex<double>>(),
};

std::optional<operation> exact_form_of(const operation& sum, void (*exact_entry::*make)(operation&))
{
    const auto* entry = std::find_if(entries.begin(), entries.end(), [&](const exact_entry& e) {
        return e.in == sum.input && e.out == sum.output;
    });
    if (!sum.has_exact_form || entry == entries.end()) {
        return std::nullopt;
    }
    operation result = sum;
    result.exact = true;
    (entry->*make)(result);
    return result;
}

} // namespace

std::optional<operation> exact_reduction_of(const operation& sum)
{
    return exact_form_of(sum, &exact_entry::reduction);
}

std::optional<operation> exact_exscan_of(const operation& sum)
{
    return exact_form_of(sum, &exact_entry::exscan);
}

} // namespace rankfold::host

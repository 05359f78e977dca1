// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folds the records of the ranks left to right: into results, and into the carry of a scan.
#pragma once

#include "rankfold/error.hpp"
#include "rankfold/operation.hpp"

namespace rankfold::host {
namespace detail {

/// The init as a partial; absent where none is given.
template <Algebra A>
partial<typename A::accumulator> raise_init(const A& algebra, const init_value& init)
{
    using output = typename A::output;
    if (!init.given) {
        return {};
    }
    union {
        output value;
        std::byte bytes[sizeof(output)];
    } copy{.bytes = {}};
    std::memcpy(copy.bytes, init.bytes.data(), sizeof(output));
    return partial<typename A::accumulator>(algebra.raise(copy.value));
}

/// Writes a result element: the partial, or the identity where nothing was reduced.
template <Algebra A>
void write_result(const A& algebra, const partial<typename A::accumulator>& p, void* result)
{
    const auto write = [&](const typename A::output& value) {
        std::memcpy(result, static_cast<const void*>(&value), sizeof value);
    };
    if (p.has_value()) {
        write(algebra.lower(p.value()));
    } else if constexpr (A::has_identity) {
        write(algebra.lower(algebra.identity()));
    }
}

} // namespace detail

template <Algebra A>
void fold(const operation& operation, const fold_task& task, const place&)
{
    using accumulator = typename A::accumulator;
    const A algebra = algebra_of<A>(operation);
    const partial<accumulator> init = detail::raise_init(algebra, task.init);
    const auto fold_below = [&](int k, int ranks) {
        const std::byte* records =
            task.records + static_cast<std::size_t>(k) * record_bytes(sizeof(accumulator));
        partial<accumulator> result = init;
        result.append(algebra, fold_records(algebra, records, task.stride, 0, ranks, task.ranks));
        return result;
    };
    const auto at = [](void* results, int k) {
        return static_cast<std::byte*>(results) + static_cast<std::size_t>(k) * sizeof(typename A::output);
    };
    for (int k = 0; k < task.record_count; ++k) {
        if (task.must_have_value && !fold_below(k, task.ranks).has_value()) {
            throw error(errc::usage, error_origin::usage, 0, -1, rankfold::detail::empty_array_text);
        }
        if (task.total) {
            detail::write_result(algebra, fold_below(k, task.ranks), at(task.total, k));
        }
        if (task.prefix) {
            detail::write_result(algebra, fold_below(k, task.rank), at(task.prefix, k));
        }
    }
    if (task.carry) {
        write_record(task.carry, fold_below(0, task.rank));
    }
}

} // namespace rankfold::host

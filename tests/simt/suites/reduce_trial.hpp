// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece.hpp"

#include "rankfold/device/reduce.cuh"

namespace rankfold::simt::suites {

/// Reduces pieces of three lengths one after another on one workspace.
template <Algebra A>
std::string reduce_trial(const schedule& how, const A& algebra = {})
{
    using input = typename A::input;
    using accumulator = typename A::accumulator;
    using kernel = device::reduce_kernel<A, device::contiguous<input>, tiny_reduce>;
    workspace<accumulator> space;
    executor::machine m(how);
    for (std::uint64_t call = 0; call < 3; ++call) {
        const std::int64_t count = length_of(how.seed * 3 + call * 5);
        exact_array<input> x(count, static_cast<std::int64_t>((how.seed + call) % 2));
        for (std::int64_t i = 0; i < count; ++i) {
            x[i] = element<input>(i);
        }
        alignas(8) std::byte record[record_bytes(sizeof(accumulator))];
        const device::chunking chunks = device::cut_into_chunks(count, tiny_reduce);
        const int blocks =
            chunks.count < 1 ? 1 : 1 + static_cast<int>(how.seed % static_cast<unsigned>(chunks.count));
        const bool fits = m.launch<kernel>({.blocks = blocks, .threads = kernel::threads},
                                           {.algebra = algebra,
                                            .source = device::contiguous<input>(x.data()),
                                            .count = count,
                                            .chunks = chunks,
                                            .record = record,
                                            .control = &space.control,
                                            .partials = space.partials.data(),
                                            .end = {.failure = {.word = &space.failure}}});
        const executor::outcome ran = m.run();
        if (!fits || !ran.ok()) {
            return fits ? ran.text : "refused\n";
        }
        const partial<accumulator> found = read_record<accumulator>(record);
        const partial<accumulator> right = serial_fold(algebra, x.data(), 0, count);
        if (found.has_value() != right.has_value() ||
            (found.has_value() &&
             !(algebra.lower(found.value()) == algebra.lower(algebra.seal(right.value(), count))))) {
            return at_length("the reduction", count, 0);
        }
        if (space.control.ticket != 0 || space.control.arrived != 0) {
            return "the tickets are not zero after a reduction\n";
        }
    }
    return "";
}

} // namespace rankfold::simt::suites

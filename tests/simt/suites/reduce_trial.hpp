// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece.hpp"

#include "rankfold/device/reduce.cuh"

namespace rankfold::simt::suites {

/// More chunks than a block has threads.
inline constexpr device::reduce_tuning many_chunks{
    .threads = warp_size, .vector = 1, .rows = 1, .resident = 1, .chunks = 2 * warp_size + 3};

/// Reduces a piece and compares it with the serial fold.
template <Algebra A, device::reduce_tuning Tuning>
std::string reduce_piece(executor::machine& m, const A& algebra, workspace<typename A::accumulator>& space,
                         std::int64_t count, std::uint64_t choice)
{
    using input = typename A::input;
    using accumulator = typename A::accumulator;
    using kernel = device::reduce_kernel<A, device::contiguous<input>, Tuning>;
    exact_array<input> x(count, static_cast<std::int64_t>(choice % 2));
    for (std::int64_t i = 0; i < count; ++i) {
        x[i] = element<input>(i);
    }
    alignas(8) std::byte record[record_bytes(sizeof(accumulator))];
    const device::chunking chunks = device::cut_into_chunks(count, Tuning);
    const int most_blocks = chunks.count < 1 ? 1 : chunks.count;
    const int blocks =
        choice % 3 == 0 ? most_blocks : 1 + static_cast<int>(choice % static_cast<unsigned>(most_blocks));
    const bool fits = m.launch<kernel>({.blocks = blocks, .threads = kernel::threads},
                                       {.algebra = algebra,
                                        .source = device::contiguous<input>(x.data()),
                                        .count = count,
                                        .chunks = chunks,
                                        .record = record,
                                        .control = space.control(),
                                        .partials = space.partials(),
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
    return space.at_rest() ? "" : "a reduction does not leave its workspace as it should\n";
}

/// Reduces pieces of four lengths one after another on one workspace.
template <Algebra A, device::reduce_tuning Tuning = tiny_reduce>
std::string reduce_trial(const schedule& how, std::uint32_t first_epoch = 0, const A& algebra = {})
{
    workspace<typename A::accumulator> space;
    space.start_at(first_epoch, how.seed);
    executor::machine m(how);
    std::string wrong;
    for (std::uint64_t call = 0; call < 4 && wrong.empty(); ++call) {
        wrong = reduce_piece<A, Tuning>(m, algebra, space, length_of(how.seed * 3 + call * 5),
                                        how.seed / 2 + call);
    }
    return wrong;
}

} // namespace rankfold::simt::suites

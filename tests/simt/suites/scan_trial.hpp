// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece.hpp"

#include "rankfold/device/lookback_scan.cuh"

namespace rankfold::simt::suites {

/// Compares a scan with the serial one. `left`: what stands before the piece.
template <Algebra A>
std::string check_scan(const A& algebra, const typename A::input* x, exact_array<typename A::output>& y,
                       std::int64_t count, bool inclusive, partial<typename A::accumulator> left)
{
    for (std::int64_t i = 0; i < count; ++i) {
        partial<typename A::accumulator> upto = left;
        upto.append(algebra, partial<typename A::accumulator>(algebra.lift(x[i], i)));
        const auto& right = inclusive ? upto : left;
        if (!(y[i] == algebra.lower(right.has_value() ? right.value() : algebra.identity()))) {
            return at_length(inclusive ? "the inclusive scan" : "the exclusive scan", count, i);
        }
        left = upto;
    }
    return y.whole() ? "" : "the scan wrote past its end\n";
}

/// Scans pieces of three lengths one after another on one workspace, in place where the types allow.
template <Algebra A>
std::string lookback_trial(const schedule& how, std::uint32_t first_epoch, const typename A::output& init,
                           const A& algebra = {})
{
    using input = typename A::input;
    using output = typename A::output;
    using accumulator = typename A::accumulator;
    using kernel = device::lookback_scan_kernel<A, device::contiguous<input>, tiny_scan>;
    workspace<accumulator> space;
    space.control.epoch = first_epoch;
    if (first_epoch > 1000) { // near the wrap: words of the calls after it, from a whole wrap ago
        space.fill_stamps(1 + static_cast<std::uint32_t>(how.seed % 2));
    }
    executor::machine m(how);
    for (std::uint64_t call = 0; call < 3; ++call) {
        const std::uint64_t choice = how.seed / 4 + call;
        const std::int64_t count = length_of(how.seed * 3 + call * 5) + 1;
        const std::int64_t tiles = (count + tile - 1) / tile;
        const auto shift = static_cast<std::int64_t>(choice % 2);
        std::vector<input> x(static_cast<std::size_t>(count));
        exact_array<input> given(count, shift);
        for (std::int64_t i = 0; i < count; ++i) {
            given[i] = x[static_cast<std::size_t>(i)] = element<input>(i);
        }
        exact_array<output> y(count, shift);
        output total{};
        const bool in_place = std::is_same_v<input, output> && choice % 3 == 0;
        if constexpr (std::is_same_v<input, output>) {
            if (in_place) {
                std::memcpy(y.data(), given.data(), static_cast<std::size_t>(count) * sizeof(input));
            }
        }
        const bool inclusive = choice % 4 < 2;
        const bool has_init = choice % 5 < 2;
        const bool fits = m.launch<kernel>(
            {.blocks = 1 + static_cast<int>(how.seed % static_cast<unsigned>(tiles < 5 ? tiles : 5)),
             .threads = kernel::threads},
            {.algebra = algebra,
             .source =
                 device::contiguous<input>(in_place ? static_cast<const void*>(y.data()) : given.data()),
             .sink = device::contiguous_sink<output>(y.data()),
             .count = count,
             .tiles = tiles,
             .inclusive = inclusive,
             .init = has_init ? make_init<A>(init) : init_value{},
             .total = choice % 2 == 0 ? &total : nullptr,
             .control = &space.control,
             .states = space.table(),
             .failure = &space.failure});
        const executor::outcome ran = m.run();
        if (!fits || !ran.ok()) {
            return fits ? ran.text : "refused\n";
        }
        const partial<accumulator> left =
            has_init ? partial<accumulator>(algebra.raise(init)) : partial<accumulator>();
        if (const std::string wrong = check_scan(algebra, x.data(), y, count, inclusive, left);
            !wrong.empty()) {
            return wrong;
        }
        if (choice % 2 == 0 &&
            !(total == algebra.lower(serial_fold(algebra, x.data(), 0, count, left).value()))) {
            return at_length("the total", count, 0);
        }
        if (space.control.ticket != 0 || space.control.arrived != 0) {
            return "the tickets are not zero after a scan\n";
        }
    }
    return "";
}

} // namespace rankfold::simt::suites

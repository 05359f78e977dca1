// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece.hpp"

#include "rankfold/device/bulk_scan.cuh"
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

/// One scan on one rank.
template <Algebra A>
struct scan_call {
    const A& algebra;
    const typename A::input* from;
    typename A::output* to;
    std::int64_t count;
    bool inclusive;
    init_value init;
    typename A::output* total;
    workspace<typename A::accumulator>& space;
};

/// What the kernels of either form are told.
template <class Kernel, Algebra A>
typename Kernel::arguments arguments_of(const scan_call<A>& call)
{
    return {.algebra = call.algebra,
            .source = device::contiguous<typename A::input>(call.from),
            .sink = device::contiguous_sink<typename A::output>(call.to),
            .count = call.count,
            .tiles = (call.count + Kernel::tile_elements - 1) / Kernel::tile_elements,
            .inclusive = call.inclusive,
            .init = call.init,
            .total = call.total,
            .control = call.space.control(),
            .states = call.space.table(),
            .failure = {.word = &call.space.failure}};
}

/// Tiles in registers: by draws, or cooperatively where asked for and where all blocks fit.
template <Algebra A>
struct register_form {
    using kernel = device::lookback_scan_kernel<A, device::contiguous<typename A::input>, tiny_scan>;

    static bool queue(executor::machine& m, const scan_call<A>& call, int most_blocks, bool cooperative)
    {
        auto arguments = arguments_of<kernel>(call);
        arguments.cooperative = cooperative;
        const int blocks =
            static_cast<int>(cooperative || arguments.tiles < most_blocks ? arguments.tiles : most_blocks);
        const bool fits = m.launch<kernel>(
            {.blocks = blocks, .threads = kernel::threads, .cooperative = cooperative}, arguments);
        return fits || (cooperative && queue(m, call, most_blocks, false));
    }
};

/// Tiles through a ring of stages in shared memory.
template <Algebra A>
struct bulk_form {
    static constexpr bool narrow = sizeof(typename A::input) == 1; // lanes that hold whole words
    static constexpr device::bulk_tuning row{.lane_elements = narrow           ? 4
                                                              : warp_size == 4 ? 3
                                                                               : 1,
                                             .strips = warp_size == 4 ? 4 : 2,
                                             .stages = 4,
                                             .landing = 2,
                                             .reducers = 2,
                                             .group = tiny_scan.group};
    using kernel = device::bulk_scan_kernel<A, row>;

    static bool queue(executor::machine& m, const scan_call<A>& call, int most_blocks, bool /*cooperative*/)
    {
        const auto arguments = arguments_of<kernel>(call);
        const int blocks = static_cast<int>(arguments.tiles < most_blocks ? arguments.tiles : most_blocks);
        return m.launch<kernel>({.blocks = blocks, .threads = kernel::threads}, arguments);
    }
};

/// Compares results and total of a call with the serial ones, and looks at what it leaves behind.
template <Algebra A>
std::string check_call(const scan_call<A>& call, const typename A::input* x,
                       exact_array<typename A::output>& y, const partial<typename A::accumulator>& left)
{
    std::string wrong = check_scan(call.algebra, x, y, call.count, call.inclusive, left);
    const auto all = serial_fold(call.algebra, x, 0, call.count, left).value();
    if (wrong.empty() && call.total != nullptr && !(*call.total == call.algebra.lower(all))) {
        wrong = at_length("the total", call.count, 0);
    }
    return !wrong.empty()         ? wrong
           : call.space.at_rest() ? ""
                                  : "a scan does not leave its workspace as it should\n";
}

/// Scans one piece, in place where the types allow and `choice` says so.
template <template <class> class Form, Algebra A>
std::string scan_piece(executor::machine& m, const A& algebra, workspace<typename A::accumulator>& space,
                       std::int64_t count, std::uint64_t choice, int most_blocks,
                       const typename A::output& init)
{
    using input = typename A::input;
    using output = typename A::output;
    const auto shift = static_cast<std::int64_t>(choice % 2);
    const bool in_place = std::is_same_v<input, output> && choice % 3 == 0;
    const bool has_init = choice % 5 < 2;
    std::vector<input> x(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        x[static_cast<std::size_t>(i)] = element<input>(i);
    }
    exact_array<input> given(count, shift);
    exact_array<output> y(count, shift);
    std::memcpy(static_cast<void*>(in_place ? static_cast<void*>(y.data()) : given.data()), x.data(),
                static_cast<std::size_t>(count) * sizeof(input));
    output total{};
    const scan_call<A> call{.algebra = algebra,
                            .from = in_place ? reinterpret_cast<const input*>(y.data()) : given.data(),
                            .to = y.data(),
                            .count = count,
                            .inclusive = choice % 4 < 2,
                            .init = has_init ? make_init<A>(init) : init_value{},
                            .total = choice % 2 == 0 ? &total : nullptr,
                            .space = space};
    if (!Form<A>::queue(m, call, most_blocks, choice % 7 < 3)) {
        return "refused\n";
    }
    const executor::outcome ran = m.run();
    using accumulator = typename A::accumulator;
    return ran.ok()
               ? check_call(call, x.data(), y,
                            has_init ? partial<accumulator>(algebra.raise(init)) : partial<accumulator>())
               : ran.text;
}

/// Scans pieces of three lengths one after another on one workspace.
template <template <class> class Form, Algebra A>
std::string scan_trial(const schedule& how, std::uint32_t first_epoch, const typename A::output& init)
{
    workspace<typename A::accumulator> space;
    space.start_at(first_epoch, how.seed);
    executor::machine m(how);
    std::string wrong;
    for (std::uint64_t call = 0; call < 3 && wrong.empty(); ++call) {
        wrong = scan_piece<Form>(m, A{}, space, length_of(how.seed * 3 + call * 5) + 1, how.seed / 4 + call,
                                 1 + static_cast<int>(how.seed / 3 % 5), init);
    }
    return wrong;
}

template <Algebra A>
std::string lookback_trial(const schedule& how, std::uint32_t first_epoch, const typename A::output& init)
{
    return scan_trial<register_form, A>(how, first_epoch, init);
}

template <Algebra A>
std::string bulk_trial(const schedule& how, std::uint32_t first_epoch, const typename A::output& init)
{
    return scan_trial<bulk_form, A>(how, first_epoch, init);
}

} // namespace rankfold::simt::suites

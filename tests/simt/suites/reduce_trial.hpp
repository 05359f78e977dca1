// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece.hpp"

#include "rankfold/device/one_pass_reduce.cuh"
#include "rankfold/device/reduce.cuh"

namespace rankfold::simt::suites {

/// More chunks than a block has threads.
inline constexpr device::reduce_tuning many_chunks{
    .threads = warp_size, .vector = 1, .rows = 1, .resident = 1, .chunks = 2 * warp_size + 3};

/// Whether two folds of a piece are the same, alone and with a piece behind them, whose only element is
/// `next`.
template <Algebra A>
bool same_fold(const A& algebra, const typename A::accumulator& x, const typename A::accumulator& y,
               const typename A::input& next)
{
    const auto behind = algebra.seal(algebra.lift(next, 0), 1);
    return algebra.lower(x) == algebra.lower(y) &&
           algebra.lower(algebra.combine(x, behind)) == algebra.lower(algebra.combine(y, behind));
}

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
         !same_fold(algebra, found.value(), algebra.seal(right.value(), count), element<input>(count)))) {
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

/// A short piece, in a launch of its own kernel.
template <Algebra A>
class short_piece {
public:
    using input = typename A::input;
    using output = typename A::output;
    using accumulator = typename A::accumulator;
    using end = device::conclude_alone<A>;
    using kernel = device::one_pass_reduce_kernel<A, device::contiguous<input>, one_pass, end>;

    short_piece(std::int64_t count, std::uint64_t choice, const output& before_all)
        : before_all_(before_all), elements_(count, static_cast<std::int64_t>(choice % 2)), count_(count),
          leaves_record_(choice % 3 == 0), with_init_(choice % 2 == 0)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            elements_[i] = element<input>(i);
        }
    }

    bool launch(executor::machine& m, workspace<accumulator>& space, int stream = 0)
    {
        return m.launch<kernel>({.blocks = static_cast<int>((count_ + kernel::chunk - 1) / kernel::chunk),
                                 .threads = kernel::threads,
                                 .stream = stream},
                                {.algebra = A{},
                                 .source = device::contiguous<input>(elements_.data()),
                                 .count = static_cast<int>(count_),
                                 .record = record_,
                                 .control = space.control(),
                                 .partials = space.partials(),
                                 .end = {.failure = {.word = &space.failure},
                                         .total = leaves_record_ ? nullptr : &total_.value,
                                         .init = with_init_ ? make_init<A>(before_all_) : init_value{}}});
    }

    /// Empty where the record, or the result behind the init, is that of the serial fold.
    std::string check()
    {
        const A algebra{};
        const accumulator own =
            algebra.seal(serial_fold(algebra, elements_.data(), 0, count_).value(), count_);
        const accumulator all = with_init_ ? algebra.combine(algebra.raise(before_all_), own) : own;
        const bool right = leaves_record_ ? same_fold(algebra, read_record<accumulator>(record_).value(), own,
                                                      element<input>(count_))
                                          : total_.value == algebra.lower(all);
        return right ? "" : at_length("the short reduction", count_, 0);
    }

private:
    output before_all_;
    exact_array<input> elements_;
    std::int64_t count_;
    bool leaves_record_;
    bool with_init_;
    alignas(8) std::byte record_[record_bytes(sizeof(accumulator))]{};
    device::uninitialised<output> total_;
};

/// Reduces short pieces of four lengths one after another on one workspace.
template <Algebra A>
std::string short_reduce_trial(const schedule& how, const typename A::output& before_all,
                               std::uint32_t first_epoch = 0)
{
    workspace<typename A::accumulator> space;
    space.start_at(first_epoch, how.seed);
    executor::machine m(how);
    std::string wrong;
    for (std::uint64_t call = 0; call < 4 && wrong.empty(); ++call) {
        const std::int64_t count = length_of(how.seed * 3 + call * 5);
        short_piece<A> piece(count < 1 ? 1 : count, how.seed / 2 + call, before_all);
        const bool fits = piece.launch(m, space);
        const executor::outcome ran = m.run();
        wrong = !fits ? "refused\n" : !ran.ok() ? ran.text : piece.check();
        if (wrong.empty() && !space.at_rest()) {
            wrong = "a short reduction does not leave its workspace as it should\n";
        }
    }
    return wrong;
}

/// Two short reductions that nothing orders, on one workspace: both end, and what fails is busy.
template <Algebra A>
std::string overlapping_short_reductions_trial(const schedule& how, const typename A::output& before_all)
{
    workspace<typename A::accumulator> space;
    space.start_at(how.seed % 3 == 0 ? ~std::uint32_t{0} - 2 : 0, how.seed);
    schedule asking = how;
    asking.ask_period = how.seed % 5 == 0 ? 1024 : how.ask_period; // as a GPU does
    executor::machine m(asking, 1, 2);
    short_piece<A> first(2 * tile + 5, how.seed, before_all);
    short_piece<A> second((how.seed % 2 == 0 ? 2 : 5) * tile + 5, how.seed / 2, before_all);
    if (!first.launch(m, space, 0) || !second.launch(m, space, 1)) {
        return "refused\n";
    }
    const executor::outcome ran = m.run();
    const auto code = static_cast<errc>(space.failure.code);
    return !ran.ok()                                     ? ran.text
           : code == errc::success || code == errc::busy ? ""
                                                         : "it failed with something else\n";
}

} // namespace rankfold::simt::suites

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fixture of tests that scan and reduce pieces: memory that ends where the elements end, guards around
// the results, every byte of it poisoned before.
#pragma once

#include "forms.hpp"
#include "pieces.hpp"

namespace rankfold::test {

struct scan_case {
    std::int64_t count;
    bool inclusive = true;
    bool with_init = false;
    bool in_place = false;
    int shift = 0;     ///< elements before the piece
    int out_shift = 0; ///< elements before the results
};

inline std::ostream& operator<<(std::ostream& out, const scan_case& c)
{
    return out << c.count << " elements, inclusive " << c.inclusive << ", init " << c.with_init
               << ", in place " << c.in_place << ", from " << c.shift << ", to " << c.out_shift;
}

class pieces_test : public gpu_test {
protected:
    /// Elements that the scan of a piece got wrong, and bytes that it should not have written. `launch` gets
    /// operation, task and place.
    template <class Piece, class Launch>
    unsigned long long wrong_results(const Piece& piece, const room<typename Piece::algebra>& space,
                                     const scan_case& c, const Launch& launch)
    {
        using algebra = typename Piece::algebra;
        using input = typename algebra::input;
        using output = typename algebra::output;
        const std::int64_t before = guard + c.out_shift * static_cast<std::int64_t>(sizeof(output));
        const std::int64_t after = before + c.count * static_cast<std::int64_t>(sizeof(output));
        const device_memory in((c.in_place ? 0 : c.shift + c.count) * sizeof(input));
        const device_memory out(after + guard);
        poison_input(in.as<>(), (c.in_place ? 0 : c.shift + c.count) * sizeof(input));
        poison(out.as<>(), after + guard);
        input* const from = c.in_place ? out.as<input>(before) : in.as<input>() + c.shift;
        set(from, c.count, elements_of<Piece>{piece});
        scan_task task = space.scan(from, out.as<>(before), c.count);
        task.inclusive = c.inclusive;
        space.put_before(task, c.with_init ? partial<output>(piece.init()) : partial<output>(), here);

        launch(describe_operation(algebra{}, operator_id::user), task, here);

        count_wrong(out.as<output>(before), c.count, results_of<Piece>{piece, c.inclusive, c.with_init});
        count_wrong(out.as<std::uint8_t>(), before, constant<std::uint8_t>{poisoned});
        count_wrong(out.as<std::uint8_t>(after), guard, constant<std::uint8_t>{poisoned});
        if (!c.in_place) {
            count_wrong(from, c.count, elements_of<Piece>{piece});
        }
        return take_wrong();
    }

    /// By one of the forms.
    template <class Piece>
    unsigned long long wrong_results(const Piece& piece, const room<typename Piece::algebra>& space,
                                     const scan_case& c, form by)
    {
        return wrong_results(piece, space, c,
                             [by](const operation& what, const scan_task& task, const place& where) {
                                 scan_by<typename Piece::algebra>(by, what, task, where);
                             });
    }

    /// Whether the reduction of so many elements, `shift` of them into their memory, is right.
    template <class Piece>
    bool reduces(const Piece& piece, const room<typename Piece::algebra>& space, std::int64_t count,
                 int shift = 0)
    {
        using algebra = typename Piece::algebra;
        using input = typename algebra::input;
        const device_memory in((shift + count) * sizeof(input));
        poison_input(in.as<>(), (shift + count) * sizeof(input));
        set(in.as<input>() + shift, count, elements_of<Piece>{piece});

        device::phases<algebra>::reduce(describe_operation(algebra{}, operator_id::user),
                                        space.reduce(in.as<input>() + shift, count), here);

        const auto found = fetch<typename algebra::accumulator>(space.record());
        return found.has_value() ? algebra{}.lower(found.value()) == piece.upto(count, false) : count == 0;
    }

private:
    static constexpr std::int64_t guard = 64; ///< bytes
    static constexpr std::uint8_t poisoned = 0xA5;

    /// Not under sanitizers, which see reads of what nobody wrote.
    void poison_input(std::byte* memory, std::size_t bytes)
    {
        if (!reduced()) {
            poison(memory, bytes);
        }
    }
    void poison(std::byte* memory, std::size_t bytes)
    {
        device::check_cuda(cudaMemsetAsync(memory, poisoned, bytes, here.stream), "cudaMemset");
    }
};

} // namespace rankfold::test

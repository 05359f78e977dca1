// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The untyped side of every operation: what the templates of reduce.hpp, scan.hpp and exscan.hpp call.
// Nothing here is for users to call.
#pragma once

#include "rankfold/accuracy.hpp"
#include "rankfold/communicator.hpp"
#include "rankfold/operation.hpp"
#include "rankfold/permitted.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace rankfold::detail {

/// An element type as a typed call has it; `none` where it has none.
struct type_spec {
    element_type type = element_type::none;
    std::uint64_t hash = 0; ///< tells types apart that the library has no name for; 0 where it cannot
    std::uint16_t bytes = 0;
};
template <class T>
type_spec type_spec_of()
{
    using type = std::remove_cv_t<T>;
    return {element_type_of<kernel_type_t<type>>, hash_of_type<kernel_type_t<type>>(), sizeof(T)};
}

/// What a plan computes; compared between the ranks when the plan is made and again by every exchange.
struct plan_spec {
    call_kind kind = call_kind::none;
    type_spec input{}; ///< those that the operation must have
    type_spec output{};
    std::int64_t max_count = 0; ///< elements of this rank's largest piece; may differ between ranks
    int results = 1;            ///< independent reductions in one call
    std::optional<int> root{};  ///< of a reduce
    init_value init{};
    std::optional<rankfold::accuracy> accuracy{}; ///< empty: the default of operator, types and backend
};

struct untyped_piece {
    const void* data;
    std::int64_t count;
};

/// The operation of a permitted triple (output `user` for located). Its phases are those that were compiled
/// in.
[[nodiscard]] const operation& builtin_operation(operator_id op, element_type input, element_type output);

// The operation of a call from In to Out, whatever its operator was given as: built in, ready, or
// rankfold/user_operator.hpp's.
template <class In, class Out, operator_id Id>
const operation& operation_for(const builtin_operator<Id>& /*op*/)
{
    using input = kernel_type_t<In>;
    using output = kernel_type_t<Out>;
    static_assert(
        permitted<Id, input, output>,
        "this operator does not take this input to this result. Permitted: integers of 8 to 64 bits "
        "(not bool, char, wchar_t, charN_t, __int128), float16, bfloat16, float, double (not long "
        "double), complex of float and double, affine_map of int64_t, float and double; which goes "
        "with which operator says the table in rankfold/permitted.hpp. What was given stands in the "
        "lines around this one: In, Out");
    return builtin_operation(Id, element_type_of<input>, element_type_of<output>);
}
template <class In, class Out>
const operation& operation_for(const operation& op)
{
    return op;
}
template <class In, class Out, class Op>
requires requires(const Op& op)
{
    op.template over<std::remove_cv_t<In>, Out>();
}
operation operation_for(const Op& op)
{
    return op.template over<std::remove_cv_t<In>, Out>();
}

/// Operators whose result is of the elements' type where none is asked for.
template <class Op>
concept functor_like = !std::is_same_v<Op, operation> && !requires
{
    Op::id;
};

/// The result of a call that asked for Out, or for nothing (void).
template <class Out, class Op, class In>
struct call_result {
    static_assert(!std::is_void_v<Out> || functor_like<Op>, "say which result: all_reduce<double>(...)");
    using type = std::conditional_t<std::is_void_v<Out>, std::remove_cv_t<In>, Out>;
};
template <class Out, class Op, class In>
using call_result_t = typename call_result<Out, Op, In>::type;

template <class Out>
init_value to_init(const std::optional<Out>& init)
{
    static_assert(sizeof(Out) <= max_element_bytes);
    init_value value;
    if (init) {
        value.given = true;
        value.hash = short_hash(hash_of_value(*init));
        std::memcpy(value.bytes.data(), &*init, sizeof(Out));
    }
    return value;
}

/// A plan of any kind. Move-only. Memory: everything a call needs, allocated here.
class plan {
public:
    /// Collective. @throws error on every rank, see the typed plans
    plan(const communicator& comm, const operation& op, const plan_spec& spec, const execution& where);
    plan(plan&&) noexcept;
    plan& operator=(plan&&) noexcept;
    ~plan();

    void reduce(std::span<const untyped_piece> inputs, void* results, const execution& execution);
    void scan(const void* in, void* out, std::int64_t count, void* total, const execution& execution);
    void exscan(const void* values, void* prefixes, void* totals, const execution& execution);
    [[nodiscard]] std::size_t workspace_bytes() const noexcept;
    /// Room for the pieces of one call of reduce().
    [[nodiscard]] std::span<untyped_piece> pieces() noexcept;

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

// One-shot calls: host memory is staged where the backend is cuda; they block. `results` etc. are host
// memory.
void reduce_once(const communicator& comm, const operation& op, const plan_spec& spec, untyped_piece input,
                 void* result, const execution& execution);
void scan_once(const communicator& comm, const operation& op, const plan_spec& spec, const void* in,
               std::int64_t in_count, void* out, std::int64_t out_count, void* total,
               const execution& execution);
void exscan_once(const communicator& comm, const operation& op, const plan_spec& spec, const void* values,
                 void* prefixes, void* totals, const execution& execution);

} // namespace rankfold::detail

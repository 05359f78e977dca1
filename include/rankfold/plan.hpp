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

/// What a plan computes; compared between the ranks when the plan is made and again by every exchange.
struct plan_spec {
    call_kind kind = call_kind::none;
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

template <operator_id Id, class In, class Out>
const operation& builtin_operation_for()
{
    using input = kernel_type_t<In>;
    using output = kernel_type_t<Out>;
    static_assert(permitted<Id, input, output>,
                  "this operator does not take this input to this result; see rankfold/permitted.hpp");
    return builtin_operation(Id, element_type_of<input>, element_type_of<output>);
}

template <class Out>
init_value to_init(const std::optional<Out>& init)
{
    static_assert(sizeof(Out) <= max_element_bytes);
    init_value value;
    if (init) {
        value.given = true;
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

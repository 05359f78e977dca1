// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An operation: what the library must know of one (operator, input, accumulator, result) without its types,
// and the local phases that compute it on one device. Built-in ones are compiled into the library; a user
// operator fills in the same structure from the templates in rankfold/host/ and rankfold/device/.
#pragma once

#include "rankfold/mailbox_view.hpp"
#include "rankfold/slot.hpp"
#include "rankfold/value_hash.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct CUstream_st; // a cudaStream_t points to one

namespace rankfold {

/// Largest element, accumulator and functor, in bytes.
inline constexpr std::size_t max_element_bytes = 64;

/// Sticky failure word of a communicator, in memory of its backend. Kernels that find `code` set end at once
/// and write nothing. Written once, by the first that fails; mirrored for the host.
struct failure_word {
    std::uint32_t code; ///< 0, or an errc
    std::uint32_t call; ///< number of the failed call
};

/// Where the kernels of a call report that it failed.
struct failure_report {
    failure_word* word = nullptr;   ///< in device memory; null: nobody asks
    failure_word* mirror = nullptr; ///< null, or in host memory that the device can write
    std::uint32_t call = 0;         ///< number of the call
};

/// Where local phases run. Filled in by the communicator.
struct place {
    CUstream_st* stream = nullptr; ///< cuda: every launch is ordered on it
    int threads = 1;               ///< host: OpenMP threads
    int multiprocessors = 0;       ///< cuda
    int max_resident_blocks = 0;   ///< cuda: limits every grid when not 0 (tests)
    bool coexist = false;          ///< cuda: no kernel fills the GPU while it waits for other ranks
    bool overlap = true;      ///< cuda: a launch may overlap with the end of the one before it on its stream
    failure_report failure{}; ///< cuda
};

/// An init by value.
struct init_value {
    bool given = false;
    std::uint32_t hash = 0; ///< of the value, for the fingerprint
    alignas(16) std::array<std::byte, max_element_bytes> bytes{};
};

/// Folds the records of all ranks, or of the lower ones, left to right.
struct fold_task {
    /// cuda: of all ranks, whose fingerprints are compared first; null: they have been compared.
    const slot* slots = nullptr;
    const std::byte* records = nullptr; ///< the first record of rank 0
    std::size_t stride = 0;             ///< bytes from a rank's first record to the next rank's
    int record_count = 0;               ///< records of each rank, folded independently
    int rank = 0;
    int ranks = 0;
    init_value init{};            ///< enters at the left end
    bool must_have_value = false; ///< an empty global array is an error: neither identity nor init
    void* total = nullptr;        ///< null, or record_count results: the fold over all ranks
    void* prefix = nullptr;       ///< null, or record_count results: the fold over the ranks below
    /// Null, or one record: the same as `prefix`, not lowered (absent on rank 0 without init).
    std::byte* carry = nullptr;
    /// Exact sums: null, or the wide record of rank 0, for the one record of each rank.
    const std::byte* wide = nullptr;
    std::size_t wide_stride = 0; ///< bytes from a rank's wide record to the next rank's
};

/// cuda: what a kernel that makes the last record of its rank does then: exchange, and fold. Nobody else has
/// to; `fold.slots` is not used.
struct conclusion {
    device::mailbox_view mail;
    fingerprint head;
    std::byte* received; ///< == fold.records, where the rank's own records lie in their place
    fold_task fold;
};

/// Reduces one piece into one record.
struct reduce_task {
    const void* input;
    std::int64_t count;
    std::byte* record;
    void* workspace;
    const conclusion* then = nullptr; ///< null: the record is left where it belongs
    std::byte* wide = nullptr;        ///< exact sums: the wide record of the piece
};

/// Lifts `count` values, one record each.
struct lift_task {
    const void* values;
    int count;
    std::byte* records;
    const conclusion* then = nullptr; ///< as in reduce_task
};

/// Scans one piece.
struct scan_task {
    const void* input;
    void* output; ///< == input, or disjoint from it
    std::int64_t count;
    bool inclusive;
    std::byte* record;      ///< written by tile_reduce: the partial of the piece
    const std::byte* carry; ///< read by tile_scan: the fold of everything before the piece
    init_value init;        ///< read by scan (one rank)
    void* total;            ///< null, or written by scan (one rank): one result
    void* workspace;
    const conclusion* then = nullptr; ///< after tile_reduce, as in reduce_task
};

struct operation;

/// The local phases of an operation on one backend. Every function may be called with count 0.
/// Exclusive results take the operator's identity where nothing stands before the first element.
struct local_phases {
    /// cuda: loads every kernel, so that no launch waits for that behind one that waits for other ranks.
    void (*load)() = nullptr;
    /// Workspace of the largest scan, in bytes: at most 1 % of the input plus a constant. Zeroed once by the
    /// plan. A reduction of any count is content with workspace_bytes(0).
    std::size_t (*workspace_bytes)(std::int64_t max_count, const place&) = nullptr;
    void (*reduce)(const operation&, const reduce_task&, const place&) = nullptr;
    void (*lift)(const operation&, const lift_task&, const place&) = nullptr;
    void (*fold)(const operation&, const fold_task&, const place&) = nullptr;
    /// Exact sums: the records of a rank do not hold its sum, so that the fold needs the wide ones.
    bool (*needs_wide)(const operation&, const fold_task&) = nullptr;
    void (*scan)(const operation&, const scan_task&, const place&) = nullptr; ///< one rank: single pass
    /// First pass: the record. With a conclusion it may do the second in the same launch.
    void (*tile_reduce)(const operation&, const scan_task&, const place&) = nullptr;
    /// Second pass, or what is left of it, with the same task.
    void (*tile_scan)(const operation&, const scan_task&, const place&) = nullptr;
};

struct operation {
    operator_id op = operator_id::user;
    element_type input = element_type::user;
    element_type accumulator = element_type::user;
    element_type output = element_type::user;
    std::uint16_t input_bytes = 0;
    std::uint16_t input_alignment = 0;
    std::uint16_t accumulator_bytes = 0;
    std::uint16_t output_bytes = 0;
    std::uint16_t output_alignment = 0;
    std::uint16_t wide_bytes =
        0; ///< exact sums: of a wide record, which follows where a record is not enough
    bool has_identity = false;
    bool can_scan = true;
    bool has_exact_form = false;     ///< a built-in sum that accuracy can be chosen for
    bool exact = false;              ///< this is the exact form
    std::uint64_t operator_hash = 0; ///< tells user operators apart; 0 for built-in ones
    std::uint64_t input_hash = 0;    ///< of the C++ type, where the library has no name for it
    std::uint64_t output_hash = 0;
    local_phases host;                                              ///< null functions where not compiled
    local_phases device;                                            ///< null functions where not compiled
    alignas(16) std::array<std::byte, max_element_bytes> functor{}; ///< the algebra, by value
};

/// The algebra of an operation, back from its bytes.
template <Algebra A>
A algebra_of(const operation& operation)
{
    static_assert(sizeof(A) <= max_element_bytes);
    union {
        char none;
        A algebra;
    } copy{.none = 0};
    std::memcpy(static_cast<void*>(&copy.algebra), operation.functor.data(), sizeof(A));
    return copy.algebra;
}

namespace detail {

/// What tells a user operator from others: its type and name, and what it says of its state. Never its bytes:
/// they may hold padding, and addresses that differ between ranks.
template <Algebra A>
std::uint64_t hash_of_operator(const A& algebra, std::string_view name)
{
    std::uint64_t hash = hash_of_text(__PRETTY_FUNCTION__); // contains the type's name
    for (const std::size_t size :
         {sizeof(typename A::input), sizeof(typename A::accumulator), sizeof(typename A::output)}) {
        hash = hash_of_number(size, hash);
    }
    hash = hash_of_text(name, hash_of_number(A::commutative, hash));
    if constexpr (has_fingerprint<A>) {
        hash = hash_of_number(algebra.fingerprint(), hash);
    }
    return hash;
}

} // namespace detail

/// The operation of an algebra; its phases are filled in by rankfold/host/operation.hpp and
/// rankfold/device/operation.cuh.
template <Algebra A>
operation describe_operation(const A& algebra, operator_id op)
{
    static_assert(sizeof(typename A::accumulator) <= max_element_bytes &&
                      sizeof(typename A::output) <= max_element_bytes,
                  "elements and accumulators have at most 64 bytes");
    operation result;
    result.op = op;
    result.input = element_type_of<kernel_type_t<typename A::input>>;
    result.accumulator = element_type_of<kernel_type_t<typename A::accumulator>>;
    result.output = element_type_of<kernel_type_t<typename A::output>>;
    result.input_hash = detail::hash_of_type<typename A::input>();
    result.output_hash = detail::hash_of_type<typename A::output>();
    result.input_bytes = sizeof(typename A::input);
    result.input_alignment = alignof(typename A::input);
    result.accumulator_bytes = sizeof(typename A::accumulator);
    result.output_bytes = sizeof(typename A::output);
    result.output_alignment = alignof(typename A::output);
    result.has_identity = A::has_identity;
    result.can_scan = op != operator_id::min_loc && op != operator_id::max_loc;
    if constexpr (!std::is_empty_v<A>) {
        if constexpr (!std::is_empty_v<A>) { // else its one byte means nothing
            std::memcpy(result.functor.data(), &algebra, sizeof(A));
        }
    }
    return result;
}

} // namespace rankfold

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank puts into an exchange, and how slots are folded: the same code on the host and in kernels.
//
// A slot is a fingerprint and a payload of records. A record is a partial: the bytes of an accumulator,
// padded to whole 32-bit words, and one more word that is 1 where there is a value and 0 where nothing was
// reduced.
#pragma once

#include "rankfold/algebra.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

namespace rankfold {

/// What kind of call a slot belongs to.
enum class call_kind : std::uint8_t {
    none,
    warm_up,
    reduce,
    all_reduce,
    inclusive_scan,
    exclusive_scan,
    exscan,
    make_plan
};

/// Bits of fingerprint::options.
inline constexpr std::uint8_t option_init = 1;
inline constexpr std::uint8_t option_exact = 2;

/// What a call is, in packed fields that are compared bit by bit: ranks that disagree called different
/// things.
struct fingerprint {
    call_kind kind;
    operator_id op;
    element_type input;
    element_type accumulator;
    element_type output;
    std::uint8_t options; ///< bit 0: an init is given; bit 1: an exact sum; bits 4-7: the kind of call that a
                          ///< plan is made for
    std::uint8_t error;   ///< not 0: this rank failed; the payload is its message, not records
    std::uint8_t unused;
    std::uint32_t digest;  ///< of the value of the init, and of the root
    std::uint16_t records; ///< partials in the call
    std::uint16_t record_bytes;
    std::uint32_t plan;      ///< number of the plan on its communicator, from 1 on; 0: a one-shot call
    std::uint32_t label;     ///< hash of the label; 0: none
    std::uint32_t operators; ///< hash of what tells user operators apart; 0: a built-in one
    /// Low bits of the number of the call, where the host waits in it. 0 where calls are queued: captured
    /// calls run again and again under the number that they were captured with.
    std::uint32_t number;
};
static_assert(sizeof(fingerprint) == 32);

inline constexpr std::size_t slot_bytes = 256;
inline constexpr std::size_t slot_payload_bytes = slot_bytes - sizeof(fingerprint);

struct alignas(16) slot {
    fingerprint head;
    std::byte payload[slot_payload_bytes];
};
static_assert(sizeof(slot) == slot_bytes);

/// Most bytes of records that a rank may bring to one call.
inline constexpr std::size_t max_row_bytes = std::size_t{32} * 1024 - sizeof(fingerprint);

/// Bytes of the record of an accumulator type.
[[nodiscard]] RANKFOLD_HOST_DEVICE constexpr std::size_t record_bytes(std::size_t accumulator_bytes)
{
    return (accumulator_bytes + 3) / 4 * 4 + 4;
}

/// A value that may be absent. T needs no default constructor and no identity.
template <class T>
class partial {
public:
    RANKFOLD_HOST_DEVICE constexpr partial() : none_{}, has_value_(false) {}
    RANKFOLD_HOST_DEVICE constexpr explicit partial(const T& value) : value_(value), has_value_(true) {}

    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr bool has_value() const { return has_value_; }
    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr const T& value() const { return value_; }

    /// Folds `right` in at the right end; where either is absent the other remains.
    template <Algebra A>
    RANKFOLD_HOST_DEVICE constexpr void append(const A& algebra, const partial& right)
    {
        if (right.has_value_) {
            value_ = has_value_ ? algebra.combine(value_, right.value_) : right.value_;
            has_value_ = true;
        }
    }

private:
    union {
        T value_;
        char none_;
    };
    bool has_value_;
};

/// Writes a partial as a record. The record may have any 4-byte alignment.
template <class T>
RANKFOLD_HOST_DEVICE void write_record(std::byte* record, const partial<T>& p)
{
    record = static_cast<std::byte*>(__builtin_assume_aligned(record, 4));
    const std::uint32_t has_value = p.has_value() ? 1 : 0;
    if (has_value) {
        memcpy(record, &p.value(), sizeof(T));
    }
    memcpy(record + record_bytes(sizeof(T)) - 4, &has_value, 4);
}

/// Reads a record back.
template <class T>
RANKFOLD_HOST_DEVICE partial<T> read_record(const std::byte* record)
{
    record = static_cast<const std::byte*>(__builtin_assume_aligned(record, 4));
    std::uint32_t has_value = 0;
    memcpy(&has_value, record + record_bytes(sizeof(T)) - 4, 4);
    if (!has_value) {
        return {};
    }
    union {
        T value;
        char bytes[sizeof(T)];
    } copy{.bytes = {}};
    memcpy(copy.bytes, record, sizeof(T));
    return partial<T>(copy.value);
}

/// Above this many ranks slots are folded in blocks of `fold_block_ranks`, and the blocks left to right.
inline constexpr int fold_serial_ranks = 1024;
inline constexpr int fold_block_ranks = 32;

/// Folds the records at `record` of ranks [first, last), left to right, in the grouping fixed by the
/// communicator size.
/// @param records  record of rank 0; rank r's lies r * stride bytes further
template <Algebra A>
RANKFOLD_HOST_DEVICE partial<typename A::accumulator>
fold_records(const A& algebra, const std::byte* records, std::size_t stride, int first, int last, int ranks)
{
    using accumulator = typename A::accumulator;
    const auto fold = [&](int begin, int end) {
        partial<accumulator> part;
        RANKFOLD_NO_UNROLL
        for (int r = begin; r < end; ++r) {
            part.append(algebra, read_record<accumulator>(records + r * stride));
        }
        return part;
    };
    if (ranks <= fold_serial_ranks) {
        return fold(first, last);
    }
    partial<accumulator> total;
    RANKFOLD_NO_UNROLL
    for (int begin = first; begin < last;) {
        const int block_end = (begin / fold_block_ranks + 1) * fold_block_ranks;
        const int end = last < block_end ? last : block_end;
        total.append(algebra, fold(begin, end));
        begin = end;
    }
    return total;
}

} // namespace rankfold

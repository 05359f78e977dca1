// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the kernels of a communicator fail together: the sticky failure word, and what the fingerprints of all
// ranks amount to.
#pragma once

#include "rankfold/device/simt.cuh"
#include "rankfold/error.hpp"
#include "rankfold/operation.hpp"

namespace rankfold::device {

/// Why the communicator has failed, or success. One thread of a block asks and tells the others, since the
/// answer may change.
RANKFOLD_DEVICE errc failure_of(const failure_word* failure)
{
    return failure == nullptr ? errc::success
                              : static_cast<errc>(simt::load_relaxed<simt::scope::device>(&failure->code));
}

RANKFOLD_DEVICE bool has_failed(const failure_word* failure)
{
    return failure_of(failure) != errc::success;
}

/// The same in all lanes of a warp, for waits that it goes through as a whole.
RANKFOLD_DEVICE bool warp_has_failed(const simt::block& block, const failure_word* failure)
{
    return block.ballot(block.lane() == 0 && has_failed(failure)) != 0;
}

/// By one thread. The first failure stays: true for it. The host sees its code last, when the number of the
/// call is there.
RANKFOLD_DEVICE_CALL bool fail(failure_report to, errc code)
{
    const auto value = static_cast<std::uint32_t>(code);
    if (to.word == nullptr || simt::atomic_compare_exchange(&to.word->code, 0U, value) != 0) {
        return false;
    }
    simt::store_relaxed<simt::scope::device>(&to.word->call, to.call);
    if (to.mirror != nullptr) {
        simt::store_relaxed<simt::scope::system>(&to.mirror->call, to.call);
        simt::store_release<simt::scope::system>(&to.mirror->code, value);
    }
    return true;
}

inline constexpr int head_words = sizeof(fingerprint) / 4;
inline constexpr int error_word = offsetof(fingerprint, error) / 4;

/// The error in word error_word of a fingerprint.
RANKFOLD_DEVICE errc error_in(std::uint32_t word)
{
    return static_cast<errc>(word >> offsetof(fingerprint, error) % 4 * 8 & 0xff);
}

/// Word `w` of a fingerprint. Chosen among words that are loaded at fixed places: one whose place differs
/// from lane to lane would be loaded by way of memory.
RANKFOLD_DEVICE std::uint32_t head_word(const fingerprint& head, int w)
{
    std::uint32_t words[head_words];
    memcpy(words, &head, sizeof head);
    std::uint32_t word = words[0];
    RANKFOLD_UNROLL
    for (int i = 1; i < head_words; ++i) {
        word = w == i ? words[i] : word;
    }
    return word;
}

/// What is wrong with a call, as a number whose minimum over the ranks is what the call fails with: failed
/// ranks before ranks that called something else, the lowest first. The lowest byte is the code.
struct verdict {
    static constexpr std::uint64_t agreed = ~std::uint64_t{0};
    static constexpr std::uint64_t disagrees = std::uint64_t{1} << 48;

    std::uint64_t key = agreed;

    /// Of one word of a rank's fingerprint, beside this rank's own.
    RANKFOLD_DEVICE static verdict of(int rank, int w, std::uint32_t theirs, std::uint32_t own)
    {
        const std::uint64_t place = static_cast<std::uint64_t>(rank) << 8;
        const errc error = w == error_word ? error_in(theirs) : errc::success;
        if (error != errc::success) {
            return {place | static_cast<std::uint64_t>(error)};
        }
        return {theirs == own ? agreed : disagrees | place | static_cast<std::uint64_t>(errc::mismatch)};
    }

    RANKFOLD_DEVICE void keep_worse(const verdict& other) { key = other.key < key ? other.key : key; }

    /// Over the lanes of a warp, known to all.
    RANKFOLD_DEVICE void join_lanes(const simt::block& block)
    {
        if (block.all(key == agreed)) {
            return;
        }
        RANKFOLD_NO_UNROLL
        for (int delta = 1; delta < simt::warp_size; delta *= 2) {
            keep_worse(block.shuffle_xor(*this, delta));
        }
    }

    [[nodiscard]] RANKFOLD_DEVICE errc code() const
    {
        return key == agreed ? errc::success : static_cast<errc>(key & 0xff);
    }
};

} // namespace rankfold::device

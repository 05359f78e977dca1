// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last calls of a rank, in a ring of fixed size: what a failure belongs to, and what is written down when
// something fails.
#pragma once

#include "comm/call.hpp"

#include "rankfold/error.hpp"

#include <iosfwd>
#include <mutex>

namespace rankfold::detail {

/// What came of a call, as far as the host of this rank knows.
enum class call_outcome : std::uint8_t {
    running, ///< not finished
    queued,  ///< returned to its caller; its stream was not waited for since
    done,
    failed,
};

struct flight_entry {
    call_description call;
    std::int64_t begin_us; ///< since the Unix epoch
    std::int64_t end_us;   ///< the same, of the outcome; 0 while running
    CUstream_st* stream;   ///< it was queued on
    call_outcome outcome;
    errc code; ///< of a failed call
};

/// Whose record it is: the first line of the file.
struct flight_header {
    std::string communicator; ///< the same on all of its ranks, and on no other communicator's
    int rank;
    int ranks;
    std::string host;
    int pid;
    std::string reason; ///< why the record is written
};

/// Allocates nothing while calls are recorded. Any thread.
class flight_recorder {
public:
    void begin(const call_description& call, CUstream_st* stream) noexcept;
    /// The call returns to its caller; nothing, if it has failed meanwhile.
    void leave(std::uint64_t number, call_outcome outcome) noexcept;
    void fail(std::uint64_t number, errc code) noexcept;
    [[nodiscard]] bool is_running(std::uint64_t number) const noexcept;
    /// Whatever was queued on `stream` is done.
    void complete(CUstream_st* stream) noexcept;

    /// The last call whose number has these 32 low bits, which is what a kernel knows of it; all but the
    /// number is unknown where others have taken its place.
    [[nodiscard]] call_description call(std::uint64_t number) const;

    /// JSON lines: the header, and then a line for each call, the oldest first.
    void write(std::ostream& out, const flight_header& header) const;

private:
    static constexpr std::size_t kept = 64;

    [[nodiscard]] flight_entry& entry_of(std::uint64_t number) noexcept { return ring_[number % kept]; }

    mutable std::mutex mutex_;
    std::array<flight_entry, kept> ring_{}; // by call number; 0 is none
};

} // namespace rankfold::detail

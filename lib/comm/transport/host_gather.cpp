// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/host_gather.hpp"

#include "runtime/mpi_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <thread>

namespace rankfold::detail {
namespace {

using verdict = wait_guard::verdict;

constexpr int polls_before_yield = 256;

struct group_range {
    int first;
    int count;
};

group_range range_of(int group, int group_size, int ranks)
{
    const int first = group * group_size;
    return {first, std::min(group_size, ranks - first)};
}

int message_bytes(int blocks, std::size_t bytes)
{
    const std::size_t total = static_cast<std::size_t>(blocks) * bytes;
    if (total > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw_usage("exchange: " + std::to_string(total) + " bytes in one message, must be below 2^31");
    }
    return static_cast<int>(total);
}

} // namespace

host_gather::host_gather(MPI_Comm comm, int rank, int size, int one_step_ranks)
    : comm_(comm), rank_(rank), size_(size),
      group_size_(size <= one_step_ranks ? size : static_cast<int>(std::ceil(std::sqrt(size)))),
      arrived_(static_cast<std::size_t>(size))
{
    const int groups = (size + group_size_ - 1) / group_size_;
    const int group = rank / group_size_;
    add_group_step(group, groups);
    if (groups > 1) {
        add_cross_step(group, groups);
    }
}

void host_gather::add_group_step(int group, int /*groups*/)
{
    step all_to_all{.first = rank_, .count = 1};
    const group_range own = range_of(group, group_size_, size_);
    // Starting at the next rank spreads the messages over the receivers.
    for (int i = 1; i < own.count; ++i) {
        const int to = own.first + (rank_ - own.first + i) % own.count;
        const int from = own.first + (rank_ - own.first - i + own.count) % own.count;
        all_to_all.sends.push_back(to);
        all_to_all.receives.push_back({from, from, 1});
    }
    add(std::move(all_to_all));
}

void host_gather::add_cross_step(int group, int groups)
{
    // The member at position q of a group serves the ranks at positions q, q + count, ... of every other
    // group.
    const group_range own = range_of(group, group_size_, size_);
    step across{.first = own.first, .count = own.count};
    const int position = rank_ - own.first;
    for (int other = 0; other < groups; ++other) {
        if (other == group) {
            continue;
        }
        const group_range theirs = range_of(other, group_size_, size_);
        across.receives.push_back({theirs.first + position % theirs.count, theirs.first, theirs.count});
        for (int q = position; q < theirs.count; q += own.count) {
            across.sends.push_back(theirs.first + q);
        }
    }
    add(std::move(across));
}

void host_gather::add(step made)
{
    made.send_requests.resize(made.sends.size(), MPI_REQUEST_NULL);
    made.receive_requests.resize(made.receives.size(), MPI_REQUEST_NULL);
    indices_.resize(std::max({indices_.size(), made.sends.size(), made.receives.size()}));
    steps_.push_back(std::move(made));
}

verdict host_gather::run(std::byte* blocks, std::size_t bytes, int tag, wait_guard& guard)
{
    for (step& now : steps_) {
        if (const verdict found = run_step(now, blocks, bytes, tag, guard); found != verdict::go_on) {
            return found;
        }
    }
    return verdict::go_on;
}

void host_gather::start(step& now, std::byte* blocks, std::size_t bytes, int tag)
{
    const auto at = [&](int block) { return blocks + static_cast<std::size_t>(block) * bytes; };
    for (std::size_t i = 0; i < now.receives.size(); ++i) {
        const transfer& t = now.receives[i];
        RANKFOLD_MPI(MPI_Irecv(at(t.first), message_bytes(t.count, bytes), MPI_BYTE, t.peer, tag, comm_,
                               &now.receive_requests[i]));
    }
    const int length = message_bytes(now.count, bytes);
    outgoing_.resize(std::max(outgoing_.size(), static_cast<std::size_t>(length)));
    std::memcpy(outgoing_.data(), at(now.first), static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < now.sends.size(); ++i) {
        RANKFOLD_MPI(
            MPI_Isend(outgoing_.data(), length, MPI_BYTE, now.sends[i], tag, comm_, &now.send_requests[i]));
    }
}

verdict host_gather::run_step(step& now, std::byte* blocks, std::size_t bytes, int tag, wait_guard& guard)
{
    for (auto& flag : arrived_) {
        flag.store(false, std::memory_order_relaxed);
    }
    running_.store(&now, std::memory_order_release);
    verdict found = verdict::go_on;
    try {
        start(now, blocks, bytes, tag);
        found = poll(now.receive_requests, true, guard);
        if (found == verdict::late && &now != &steps_.front()) { // who was late before tells soon
            guard.extend();
            found = poll(now.receive_requests, true, guard);
        }
        if (found == verdict::go_on) {
            found = poll(now.send_requests, false, guard);
        }
    } catch (...) {
        abandon(now);
        throw;
    }
    if (found != verdict::go_on) {
        missing_ = waiting_for();
        abandon(now);
    }
    running_.store(nullptr, std::memory_order_release);
    return found;
}

/// Polls until all is done or the guard has another verdict.
verdict host_gather::poll(std::vector<MPI_Request>& requests, bool receives, wait_guard& guard)
{
    for (int polls = 0;; ++polls) {
        int done = 0;
        RANKFOLD_MPI(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &done, indices_.data(),
                                  MPI_STATUSES_IGNORE));
        if (done == MPI_UNDEFINED) {
            return verdict::go_on; // nothing active is left
        }
        for (int i = 0; receives && i < done; ++i) {
            arrived_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])].store(true);
        }
        if (const verdict found = guard.ask(); found != verdict::go_on) {
            return found;
        }
        if (polls > polls_before_yield) {
            std::this_thread::yield();
        }
    }
}

/// A late message must not land in memory that is gone, nor leave from it.
void host_gather::abandon(step& now) noexcept
{
    running_.store(nullptr, std::memory_order_release);
    for (MPI_Request& request : now.receive_requests) {
        if (request != MPI_REQUEST_NULL) {
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
    }
    bool sending = false;
    for (MPI_Request& request : now.send_requests) {
        if (request != MPI_REQUEST_NULL) {
            sending = true;
            MPI_Request_free(&request);
        }
    }
    if (sending) {
        static_cast<void>(new (std::nothrow) std::vector<std::byte>(std::move(outgoing_)));
    }
}

std::vector<int> host_gather::waiting_for() const
{
    const step* now = running_.load(std::memory_order_acquire);
    std::vector<int> late;
    for (std::size_t i = 0; now != nullptr && i < now->receives.size(); ++i) {
        if (!arrived_[i].load(std::memory_order_relaxed)) {
            late.push_back(now->receives[i].peer);
        }
    }
    std::sort(late.begin(), late.end());
    return late;
}

} // namespace rankfold::detail

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/host_gather.hpp"

#include "runtime/mpi_check.hpp"
#include "watch/watchdog.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

namespace rankfold::detail {
namespace {

constexpr int one_step_ranks = 64;
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

} // namespace

int host_gather::group_size(int ranks)
{
    return ranks <= one_step_ranks ? ranks : static_cast<int>(std::ceil(std::sqrt(ranks)));
}

host_gather::host_gather(MPI_Comm comm, int rank, int size)
    : comm_(comm), rank_(rank), size_(size), group_size_(group_size(size)),
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
    step all_to_all;
    const group_range own = range_of(group, group_size_, size_);
    // Starting at the next rank spreads the messages over the receivers.
    for (int i = 1; i < own.count; ++i) {
        const int to = own.first + (rank_ - own.first + i) % own.count;
        const int from = own.first + (rank_ - own.first - i + own.count) % own.count;
        all_to_all.sends.push_back({to, rank_, 1});
        all_to_all.receives.push_back({from, from, 1});
    }
    add(std::move(all_to_all));
}

void host_gather::add_cross_step(int group, int groups)
{
    // The member at position q of a group serves the ranks at positions q, q + count, ... of every other
    // group.
    step across;
    const group_range own = range_of(group, group_size_, size_);
    const int position = rank_ - own.first;
    for (int other = 0; other < groups; ++other) {
        if (other == group) {
            continue;
        }
        const group_range theirs = range_of(other, group_size_, size_);
        across.receives.push_back({theirs.first + position % theirs.count, theirs.first, theirs.count});
        for (int q = position; q < theirs.count; q += own.count) {
            across.sends.push_back({theirs.first + q, own.first, own.count});
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

bool host_gather::run(std::byte* blocks, std::size_t bytes, int tag, watchdog& dog,
                      const std::function<void(std::byte*)>& mark_missing)
{
    bool complete = true;
    for (step& now : steps_) {
        if (!run_step(now, blocks, bytes, tag, dog)) {
            complete = false;
            for (std::size_t i = 0; i < now.receives.size(); ++i) {
                const transfer& late = now.receives[i];
                for (int b = 0; !arrived_[i] && b < late.count; ++b) {
                    mark_missing(blocks + static_cast<std::size_t>(late.first + b) * bytes);
                }
            }
            dog.extend(std::max(1.0, dog.timeout_s() / 10)); // so that the next step can carry the names
        }
    }
    return complete;
}

bool host_gather::run_step(step& now, std::byte* blocks, std::size_t bytes, int tag, watchdog& dog)
{
    const auto at = [&](int block) { return blocks + static_cast<std::size_t>(block) * bytes; };
    const auto length = [&](const transfer& t) {
        const std::size_t total = static_cast<std::size_t>(t.count) * bytes;
        if (total > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
            throw_usage("exchange: " + std::to_string(total) + " bytes in one message, must be below 2^31");
        }
        return static_cast<int>(total);
    };
    for (auto& flag : arrived_) {
        flag.store(false, std::memory_order_relaxed);
    }
    running_.store(&now, std::memory_order_release);
    for (std::size_t i = 0; i < now.receives.size(); ++i) {
        const transfer& t = now.receives[i];
        RANKFOLD_MPI(
            MPI_Irecv(at(t.first), length(t), MPI_BYTE, t.peer, tag, comm_, &now.receive_requests[i]));
    }
    for (std::size_t i = 0; i < now.sends.size(); ++i) {
        const transfer& t = now.sends[i];
        RANKFOLD_MPI(MPI_Isend(at(t.first), length(t), MPI_BYTE, t.peer, tag, comm_, &now.send_requests[i]));
    }
    const bool complete = poll(now.receive_requests, true, dog) && poll(now.send_requests, false, dog);
    running_.store(nullptr, std::memory_order_release);
    return complete;
}

bool host_gather::poll(std::vector<MPI_Request>& requests, bool receives, watchdog& dog)
{
    for (int polls = 0;; ++polls) {
        int done = 0;
        RANKFOLD_MPI(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &done, indices_.data(),
                                  MPI_STATUSES_IGNORE));
        if (done == MPI_UNDEFINED) {
            return true; // nothing active is left
        }
        for (int i = 0; receives && i < done; ++i) {
            arrived_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])].store(true);
        }
        if (dog.expired()) {
            break;
        }
        if (polls > polls_before_yield) {
            std::this_thread::yield();
        }
    }
    for (MPI_Request& request : requests) {
        if (request != MPI_REQUEST_NULL) { // a late message must not land in memory that is gone
            if (receives) {
                MPI_Cancel(&request);
            }
            MPI_Request_free(&request);
        }
    }
    return false;
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

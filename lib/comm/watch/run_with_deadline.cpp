// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/run_with_deadline.hpp"

#include "runtime/fixed_text.hpp"
#include "runtime/mpi_check.hpp"
#include "runtime/seconds.hpp"
#include "runtime/tags.hpp"

#include <algorithm>
#include <chrono>
#include <future>

namespace rankfold::detail {
namespace {

using clock = std::chrono::steady_clock;
using state = deadline_result::state;

constexpr auto patience = std::chrono::milliseconds(1);

/// One rank's result as bytes.
struct report {
    std::int32_t how;
    std::array<char, 192> problem;
};

/// The future gets why the action failed, or an empty text.
std::future<std::string> start(const std::function<void()>& action)
{
    std::promise<std::string> promise;
    std::future<std::string> result = promise.get_future();
    std::thread([action, outcome = std::move(promise)]() mutable {
        try {
            action();
            outcome.set_value({});
        } catch (const error& failure) {
            outcome.set_value(failure.text());
        } catch (const std::exception& failure) {
            outcome.set_value(failure.what());
        }
    }).detach();
    return result;
}

/// An empty message to every other rank says that this one has given up.
class alarm {
public:
    explicit alarm(MPI_Comm comm) : comm_(comm)
    {
        RANKFOLD_MPI(MPI_Comm_rank(comm, &rank_));
        RANKFOLD_MPI(MPI_Comm_size(comm, &size_));
    }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool is_ringing() const
    {
        int rings = 0;
        RANKFOLD_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag_deadline, comm_, &rings, MPI_STATUS_IGNORE));
        return rings != 0;
    }
    void ring()
    {
        for (int r = 0; r < size_; ++r) {
            if (r != rank_) {
                RANKFOLD_MPI(MPI_Isend(nullptr, 0, MPI_BYTE, r, tag_deadline, comm_, &sent_.emplace_back()));
            }
        }
    }
    /// Takes in the messages of all ranks that rang. Collective.
    void silence(const std::vector<report>& reports)
    {
        for (int r = 0; r < size_; ++r) {
            if (r != rank_ && reports[static_cast<std::size_t>(r)].how != static_cast<int>(state::done)) {
                RANKFOLD_MPI(MPI_Recv(nullptr, 0, MPI_BYTE, r, tag_deadline, comm_, MPI_STATUS_IGNORE));
            }
        }
        RANKFOLD_MPI(MPI_Waitall(static_cast<int>(sent_.size()), sent_.data(), MPI_STATUSES_IGNORE));
    }

private:
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
    std::vector<MPI_Request> sent_;
};

report await(std::future<std::string>& action, const alarm& others, double seconds)
{
    const auto deadline = clock::now() + duration_of(seconds);
    report own{};
    while (action.wait_for(patience) != std::future_status::ready) {
        const bool late = clock::now() > deadline;
        if (late || others.is_ringing()) {
            own.how = static_cast<int>(state::did_not_return);
            put(own.problem, late ? "did not return within " + seconds_text(seconds) : "");
            return own;
        }
    }
    const std::string problem = action.get();
    own.how = static_cast<int>(problem.empty() ? state::done : state::failed);
    put(own.problem, problem);
    return own;
}

} // namespace

std::vector<deadline_result> run_with_deadline(MPI_Comm comm, const std::function<void()>& action,
                                               double seconds)
{
    alarm others(comm);
    std::future<std::string> running = start(action);
    const report own = await(running, others, seconds);
    if (own.how != static_cast<int>(state::done)) {
        others.ring();
    }
    std::vector<report> reports(static_cast<std::size_t>(others.size()));
    RANKFOLD_MPI(MPI_Allgather(&own, sizeof own, MPI_BYTE, reports.data(), sizeof own, MPI_BYTE, comm));
    others.silence(reports);
    std::vector<deadline_result> results;
    results.reserve(reports.size());
    for (const report& r : reports) {
        results.push_back({static_cast<state>(r.how), r.problem.data()});
    }
    return results;
}

std::string problems_of(const std::vector<deadline_result>& results)
{
    std::string text;
    for (std::size_t r = 0; r < results.size(); ++r) {
        if (!results[r].problem.empty()) {
            text += (text.empty() ? "rank " : "; rank ") + std::to_string(r) + ": " + results[r].problem;
        }
    }
    return text;
}

bool returns_in_time(const std::function<void()>& action, double seconds)
{
    return start(action).wait_for(duration_of(seconds)) == std::future_status::ready;
}

} // namespace rankfold::detail

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the host phases of an operation on an array cut into pieces, one per imagined rank, without any
// exchange but memory.
#pragma once

#include "rankfold/operation.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rankfold::test {

struct run_options {
    int threads = 2;
    bool inclusive = true;
};

/// Storage for results that need not be default constructible.
template <class T>
class results {
public:
    explicit results(std::size_t count) : bytes_(count * sizeof(T) + alignof(T)), count_(count) {}
    [[nodiscard]] T* data()
    {
        void* p = bytes_.data();
        std::size_t space = bytes_.size();
        return static_cast<T*>(std::align(alignof(T), count_ * sizeof(T), p, space));
    }
    [[nodiscard]] const T& operator[](std::size_t i) { return data()[i]; }
    [[nodiscard]] std::size_t size() const { return count_; }

private:
    std::vector<std::byte> bytes_;
    std::size_t count_;
};

template <class Out>
init_value make_init(const std::optional<Out>& init)
{
    init_value result;
    if (init) {
        result.given = true;
        std::memcpy(result.bytes.data(), static_cast<const void*>(&*init), sizeof(Out));
    }
    return result;
}

inline std::vector<std::byte> make_workspace(const operation& op, std::int64_t count, int threads)
{
    return std::vector<std::byte>(op.host.workspace_bytes(count, {.threads = threads}));
}

/// What the ranks learn of each other: one record per piece.
class records {
public:
    records(const operation& op, std::size_t ranks)
        : stride_(record_bytes(op.accumulator_bytes)), bytes_(stride_ * ranks),
          ranks_(static_cast<int>(ranks))
    {
    }
    [[nodiscard]] std::byte* of(std::size_t rank) { return bytes_.data() + rank * stride_; }

    /// A fold task for one rank; the caller says what is wanted.
    [[nodiscard]] fold_task task(std::size_t rank, const init_value& init) const
    {
        fold_task t{};
        t.records = bytes_.data();
        t.stride = stride_;
        t.record_count = 1;
        t.rank = static_cast<int>(rank);
        t.ranks = ranks_;
        t.init = init;
        return t;
    }

private:
    std::size_t stride_;
    std::vector<std::byte> bytes_;
    int ranks_;
};

/// Reduces the pieces and folds their records.
template <class In, class Out>
Out run_reduce(const operation& op, const std::vector<std::span<const In>>& pieces, run_options options = {},
               std::optional<Out> init = {})
{
    const place here{.threads = options.threads};
    records all(op, pieces.size());
    for (std::size_t r = 0; r < pieces.size(); ++r) {
        const auto count = static_cast<std::int64_t>(pieces[r].size());
        auto workspace = make_workspace(op, count, options.threads);
        op.host.reduce(op, {pieces[r].data(), count, all.of(r), workspace.data()}, here);
    }
    results<Out> total(1);
    fold_task fold = all.task(0, make_init(init));
    fold.total = total.data();
    op.host.fold(op, fold, here);
    return total[0];
}

/// Scans one piece as the only rank.
template <class In, class Out>
void run_scan(const operation& op, const In* x, Out* y, std::int64_t count, run_options options = {},
              std::optional<Out> init = {}, Out* total = nullptr)
{
    auto workspace = make_workspace(op, count, options.threads);
    scan_task task{};
    task.input = x;
    task.output = y;
    task.count = count;
    task.inclusive = options.inclusive;
    task.init = make_init(init);
    task.total = total;
    task.workspace = workspace.data();
    op.host.scan(op, task, {.threads = options.threads});
}

/// Scans the pieces in two passes with an exchange between them. `y` takes the whole array; pieces lie at
/// `x`.
template <class In, class Out>
void run_tile_scan(const operation& op, const In* x, Out* y, const std::vector<std::int64_t>& counts,
                   run_options options = {}, std::optional<Out> init = {})
{
    const place here{.threads = options.threads};
    records all(op, counts.size());
    std::vector<scan_task> tasks(counts.size());
    std::vector<std::vector<std::byte>> workspaces;
    std::int64_t begin = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
        workspaces.push_back(make_workspace(op, counts[r], options.threads));
        tasks[r].input = counts[r] ? x + begin : nullptr;
        tasks[r].output = counts[r] ? y + begin : nullptr;
        tasks[r].count = counts[r];
        tasks[r].inclusive = options.inclusive;
        tasks[r].record = all.of(r);
        tasks[r].workspace = workspaces.back().data();
        op.host.tile_reduce(op, tasks[r], here);
        begin += counts[r];
    }
    std::vector<std::byte> carry(record_bytes(op.accumulator_bytes));
    for (std::size_t r = 0; r < counts.size(); ++r) {
        fold_task fold = all.task(r, make_init(init));
        fold.carry = carry.data();
        op.host.fold(op, fold, here);
        tasks[r].carry = carry.data();
        op.host.tile_scan(op, tasks[r], here);
    }
}

} // namespace rankfold::test

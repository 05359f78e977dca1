// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "timing.hpp"

#include <algorithm>
#include <memory>

namespace rankfold::bench {
namespace {

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// `calls` calls of an action, as one thing to launch.
class batch {
public:
    batch(cudaStream_t stream, const action& run, const timing& how)
        : stream_(stream), run_(run), calls_(how.calls)
    {
        run_(); // loads the kernels
        check(cudaStreamSynchronize(stream_), "warm-up");
        if (how.graph) {
            cudaGraph_t graph = nullptr;
            check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
            call();
            check(cudaStreamEndCapture(stream_, &graph), "capture");
            check(cudaGraphInstantiate(&replay_, graph, 0), "graph");
            cudaGraphDestroy(graph);
        }
    }
    ~batch()
    {
        if (replay_ != nullptr) {
            cudaGraphExecDestroy(replay_);
        }
    }
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;

    void operator()() const
    {
        if (replay_ != nullptr) {
            check(cudaGraphLaunch(replay_, stream_), "graph");
        } else {
            call();
        }
    }

private:
    void call() const
    {
        for (int i = 0; i < calls_; ++i) {
            run_();
        }
    }

    cudaStream_t stream_;
    const action& run_;
    int calls_;
    cudaGraphExec_t replay_ = nullptr;
};

/// Two events on a stream and the time between them.
class stopwatch {
public:
    explicit stopwatch(cudaStream_t stream) : stream_(stream)
    {
        check(cudaEventCreate(&begin_), "event");
        check(cudaEventCreate(&end_), "event");
    }
    ~stopwatch()
    {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;

    [[nodiscard]] double microseconds(const batch& calls) const
    {
        float milliseconds = 0;
        check(cudaEventRecord(begin_, stream_), "event");
        calls();
        check(cudaEventRecord(end_, stream_), "event");
        check(cudaEventSynchronize(end_), "run");
        check(cudaEventElapsedTime(&milliseconds, begin_, end_), "event");
        return 1e3 * milliseconds;
    }

private:
    cudaStream_t stream_;
    cudaEvent_t begin_ = nullptr;
    cudaEvent_t end_ = nullptr;
};

} // namespace

std::vector<double> medians_us(const group& ranks, const gpu& device, const std::vector<action>& actions,
                               const timing& how)
{
    const stopwatch watch(device.stream);
    std::vector<std::unique_ptr<batch>> batches;
    for (const action& run : actions) {
        batches.push_back(std::make_unique<batch>(device.stream, run, how));
    }
    constexpr int warm_ups = 3;
    std::vector<std::vector<double>> times(actions.size());
    for (int repeat = -warm_ups; repeat < how.repeats; ++repeat) {
        for (std::size_t a = 0; a < actions.size(); ++a) {
            if (how.before) {
                how.before();
            }
            const double slowest =
                ranks.largest(watch.microseconds(*batches[a])); // also brings the ranks together
            if (repeat >= 0) {
                times[a].push_back(slowest / how.calls);
            }
        }
    }
    std::vector<double> result;
    for (const auto& of_action : times) {
        result.push_back(median(of_action));
    }
    return result;
}

} // namespace rankfold::bench

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The host backend against STREAM-like loops on the same cores: rankfold-bench-host [threads [MiB
// [repeats]]]. Prints medians of interleaved runs; the ratio is to the best of the loops of its kind.
#include "host_backend/builtin.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

using namespace rankfold;

struct settings {
    int threads = 2;
    std::int64_t bytes = std::int64_t{256} << 20;
    int repeats = 15;
    bool processor_time = false;
};

/// Memory of one array, touched first by the threads that will use it.
class buffer {
public:
    buffer(std::int64_t bytes, int threads)
        : memory_(std::aligned_alloc(4096, static_cast<std::size_t>(bytes)))
    {
        auto* values = as<float>();
#pragma omp parallel for num_threads(threads)
        for (std::int64_t i = 0; i < bytes / 4; ++i) {
            values[i] = 0.0F;
        }
    }
    template <class T>
    [[nodiscard]] T* as() const
    {
        return static_cast<T*>(memory_.get());
    }

private:
    struct release {
        void operator()(void* p) const { std::free(p); }
    };
    std::unique_ptr<void, release> memory_;
};

volatile std::int64_t sink;

void read_loop(const std::int64_t* x, std::int64_t n, int threads)
{
    std::int64_t total = 0;
#pragma omp parallel for reduction(+ : total) num_threads(threads)
    for (std::int64_t i = 0; i < n; ++i) {
        total += x[i];
    }
    sink = total;
}

void copy_loop(const double* x, double* y, std::int64_t n, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (std::int64_t i = 0; i < n; ++i) {
        y[i] = x[i] + 0.0; // not turned into memcpy
    }
}

void copy_memcpy(const double* x, double* y, std::int64_t n, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; ++t) {
        const std::int64_t begin = n / threads * t;
        const std::int64_t end = t + 1 == threads ? n : n / threads * (t + 1);
        std::memcpy(y + begin, x + begin, static_cast<std::size_t>(end - begin) * sizeof(double));
    }
}

void copy_past_cache([[maybe_unused]] const double* x, [[maybe_unused]] double* y,
                     [[maybe_unused]] std::int64_t n, [[maybe_unused]] int threads)
{
#if defined(__SSE2__)
#pragma omp parallel for num_threads(threads)
    for (std::int64_t i = 0; i < n / 2; ++i) {
        _mm_stream_pd(y + 2 * i, _mm_load_pd(x + 2 * i));
    }
#else
    copy_memcpy(x, y, n, threads);
#endif
}

template <class T>
std::function<void()> reduce_of(const buffer& x, const settings& s)
{
    const operation op = *host::find_operation(operator_id::sum, element_type_of<T>, element_type_of<T>);
    const std::int64_t n = s.bytes / static_cast<std::int64_t>(sizeof(T));
    const place here{.threads = s.threads};
    auto workspace = std::make_shared<std::vector<std::byte>>(op.host.workspace_bytes(n, here));
    return [=, input = x.as<T>()] {
        std::byte record[16];
        op.host.reduce(op, {input, n, record, workspace->data()}, here);
    };
}

template <class T>
std::function<void()> scan_of(const buffer& x, const buffer& y, const settings& s, bool inclusive = true)
{
    const operation op = *host::find_operation(operator_id::sum, element_type_of<T>, element_type_of<T>);
    scan_task task{};
    task.input = x.as<T>();
    task.output = y.as<T>();
    task.count = s.bytes / static_cast<std::int64_t>(sizeof(T));
    task.inclusive = inclusive;
    return [op, task, here = place{.threads = s.threads}] { op.host.scan(op, task, here); };
}

struct contender {
    std::string name;
    std::int64_t bytes;
    std::function<void()> run;
    std::vector<double> seconds{};

    [[nodiscard]] double rate(double quantile) const // GB/s
    {
        auto sorted = seconds;
        std::sort(sorted.begin(), sorted.end());
        const double at = quantile * static_cast<double>(sorted.size() - 1);
        return static_cast<double>(bytes) / sorted[static_cast<std::size_t>(at)] * 1e-9;
    }
};

double now(const settings& s) // seconds
{
    if (s.processor_time) {
        return static_cast<double>(std::clock()) / CLOCKS_PER_SEC / s.threads;
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void measure(std::vector<contender>& contenders, const settings& s)
{
    for (int repeat = -1; repeat < s.repeats; ++repeat) { // the first is a warm-up
        for (contender& c : contenders) {
            const double start = now(s);
            c.run();
            const double time = now(s) - start;
            if (repeat >= 0) {
                c.seconds.push_back(time);
            }
        }
    }
}

/// The first `rivals` contenders are loops; the others are set against the best of them.
void report(const std::vector<contender>& contenders, std::size_t rivals)
{
    const auto best = [&](double quantile) {
        double rate = 0;
        for (std::size_t i = 0; i < rivals; ++i) {
            rate = std::max(rate, contenders[i].rate(quantile));
        }
        return rate;
    };
    for (const contender& c : contenders) {
        std::printf("%-22s %8.2f %6.3f %8.2f %6.3f\n", c.name.c_str(), c.rate(0.5), c.rate(0.5) / best(0.5),
                    c.rate(0), c.rate(0) / best(0));
    }
}

} // namespace

int main(int argc, char** argv)
{
    settings s;
    s.threads = argc > 1 ? std::atoi(argv[1]) : s.threads;
    s.bytes = argc > 2 ? std::int64_t{std::atoi(argv[2])} << 20 : s.bytes;
    s.repeats = argc > 3 ? std::atoi(argv[3]) : s.repeats;
    s.processor_time = argc > 4 && std::string(argv[4]) == "cpu";
    const buffer x(s.bytes, s.threads);
    const buffer y(s.bytes, s.threads);
    const auto* in = x.as<double>();
    auto* out = y.as<double>();
    const std::int64_t n = s.bytes / 8;

    std::vector<contender> reads{
        {"read loop", s.bytes, [&] { read_loop(x.as<std::int64_t>(), n, s.threads); }},
        {"reduce float", s.bytes, reduce_of<float>(x, s)},
        {"reduce double", s.bytes, reduce_of<double>(x, s)},
        {"reduce int8", s.bytes, reduce_of<std::int8_t>(x, s)},
    };
    std::vector<contender> copies{
        {"copy loop", 2 * s.bytes, [&] { copy_loop(in, out, n, s.threads); }},
        {"copy memcpy", 2 * s.bytes, [&] { copy_memcpy(in, out, n, s.threads); }},
        {"copy past the cache", 2 * s.bytes, [&] { copy_past_cache(in, out, n, s.threads); }},
        {"scan float", 2 * s.bytes, scan_of<float>(x, y, s)},
        {"scan double", 2 * s.bytes, scan_of<double>(x, y, s)},
        {"exclusive scan float", 2 * s.bytes, scan_of<float>(x, y, s, false)},
        {"exclusive scan double", 2 * s.bytes, scan_of<double>(x, y, s, false)},
        {"scan int32", 2 * s.bytes, scan_of<std::int32_t>(x, y, s)},
        {"scan int8", 2 * s.bytes, scan_of<std::int8_t>(x, y, s)},
    };
    measure(reads, s);
    measure(copies, s);
    std::printf("%d threads, %lld MiB, medians of %d\n", s.threads, static_cast<long long>(s.bytes >> 20),
                s.repeats);
    report(reads, 1);
    report(copies, 3);
    return 0;
}

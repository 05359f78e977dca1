// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernel suites share: tiny tuning rows, inputs with exact results, workspaces, and the serial
// answer.
#pragma once

#include "../interval.hpp"
#include "../schedules.hpp"

#include "rankfold/device/tuning.hpp"
#include "rankfold/device/workspace.cuh"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace rankfold::simt::suites {

using executor::schedule;

// Tiles and passes of 64 elements; groups of as many tiles as a warp of the tests has lanes, or of two.
inline constexpr device::reduce_tuning tiny_reduce{.threads = 4 * warp_size,
                                                   .vector = 2,
                                                   .rows =
                                                       32 / (4 * warp_size) < 1 ? 1 : 32 / (4 * warp_size),
                                                   .resident = 1,
                                                   .chunks = 7};
/// Every chunk of one pass; more of them than a block of four-lane warps has threads.
inline constexpr device::reduce_tuning one_pass = [] {
    device::reduce_tuning row = tiny_reduce;
    row.chunks = row.few = 80;
    return row;
}();
inline constexpr device::scan_tuning tiny_scan{.threads = tiny_reduce.threads,
                                               .vector = tiny_reduce.vector,
                                               .rows = tiny_reduce.rows,
                                               .resident = 1,
                                               .group = warp_size < 4 ? 2 : 4,
                                               .rounds = 2};
inline constexpr std::int64_t tile = tiny_scan.tile();

/// Lengths at which something changes.
inline std::int64_t length_of(std::uint64_t seed)
{
    constexpr std::int64_t group = tile * tiny_scan.group;
    constexpr std::int64_t lengths[] = {0,
                                        1,
                                        2,
                                        3,
                                        tile - 1,
                                        tile,
                                        tile + 1,
                                        2 * tile,
                                        3 * tile - 1,
                                        group - 1,
                                        group,
                                        group + 1,
                                        2 * group,
                                        2 * group + tile + 5,
                                        3 * group + 1,
                                        9 * tile + 17,
                                        17 * tile + 3,
                                        35 * tile,
                                        40,
                                        7};
    if (seed % 61 == 0 && warp_size == 4) {
        return 70 * tile + 9;
    }
    return lengths[seed % (warp_size == 4 ? std::size(lengths) : 16)];
}

/// Elements whose results are exact in every order.
template <class T>
T element(std::int64_t i)
{
    return static_cast<T>((i * 7 + 3) % 11 - 5);
}
template <>
inline affine_map<std::int64_t> element(std::int64_t i)
{
    return {i % 3 == 0 ? -1 : 1 + i % 2, i % 5 - 2};
}

/// A memory of exactly `count` elements, so that a sanitizer sees every access outside; `shift` elements off
/// alignment.
template <class T>
class exact_array {
public:
    explicit exact_array(std::int64_t count, std::int64_t shift = 0)
        : shift_(shift), size_(static_cast<std::size_t>(count) * sizeof(T)),
          bytes_(static_cast<std::byte*>(std::aligned_alloc(16, (offset() + size_ + 15) / 16 * 16 + 16)))
    {
        std::memset(bytes_.get(), 0x5a, (offset() + size_ + 15) / 16 * 16 + 16);
    }
    T* data() { return reinterpret_cast<T*>(bytes_.get() + offset()); }
    T& operator[](std::int64_t i) { return data()[i]; }
    /// True while nobody wrote past the end.
    [[nodiscard]] bool whole() const
    {
        for (std::size_t i = offset() + size_; i < (offset() + size_ + 15) / 16 * 16 + 16; ++i) {
            if (bytes_.get()[i] != std::byte{0x5a}) {
                return false;
            }
        }
        return true;
    }

private:
    struct release {
        void operator()(std::byte* p) const { std::free(p); }
    };
    [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(shift_) * sizeof(T); }

    std::int64_t shift_;
    std::size_t size_;
    std::unique_ptr<std::byte, release> bytes_;
};

/// The workspace of one plan, zeroed once: calls of any length use it one after another.
template <class T>
class workspace {
    using layout = device::workspace_view<T, device::onchip_tiles, tiny_scan.group>;
    static constexpr std::int64_t most_tiles = 160;
    struct alignas(device::control) line {
        std::byte bytes[alignof(device::control)];
    };

public:
    workspace() : lines_(layout::bytes(most_tiles) / sizeof(line) + 1) {}

    device::control* control() { return view().control(); }
    std::uint64_t* partials() { return view().partials(); }
    std::uint64_t* posts() { return view().posts(); }
    typename layout::table_type table() { return view().table(); }

    /// As after so many calls. Near the wrap there are words of the calls after it, from a whole wrap ago.
    void start_at(std::uint32_t epoch, std::uint64_t seed)
    {
        control()->entry = std::uint64_t{epoch} << 32;
        if (epoch > 1000) {
            fill_stamps(1 + static_cast<std::uint32_t>(seed % 2));
        }
    }

    /// Between calls: nothing drawn, nobody arrived, nothing posted.
    [[nodiscard]] bool at_rest()
    {
        return static_cast<std::uint32_t>(control()->entry) == 0 && control()->ticket == 0 &&
               control()->arrived == 0 &&
               std::all_of(posts(), table().words, [](std::uint64_t word) { return word == 0; });
    }

    failure_word failure{};

private:
    layout view() { return layout(lines_.data()); }

    /// Leaves words stamped with an epoch wherever a call may have stamped some.
    void fill_stamps(std::uint32_t epoch)
    {
        const std::uint64_t word = std::uint64_t{epoch} << 32 | 0xdead;
        std::fill(partials(), posts(), word);
        for (std::int64_t i = 0; i < most_tiles * layout::table_type::stamped; ++i) {
            table().stamped_fold(i / layout::table_type::stamped)[i % layout::table_type::stamped] = word;
        }
        control()->stamped = static_cast<std::uint64_t>(table().end(most_tiles) - partials());
    }

    std::vector<line> lines_;
};

/// Stands for another stream of the communicator, which fails.
struct fail_kernel {
    struct arguments {
        failure_word* failure;
        errc code;
    };
    struct storage {};
    static constexpr int threads = warp_size;
    static void run(block& self, const arguments& args, storage& /*shared*/)
    {
        for (int i = 0; i < 30; ++i) {
            self.sync_warp();
        }
        if (self.lane() == 0) {
            store_relaxed<scope::device>(&args.failure->code, static_cast<std::uint32_t>(args.code));
        }
    }
};

/// Fold of elements [first, last) in order, behind `left`.
template <Algebra A>
partial<typename A::accumulator> serial_fold(const A& algebra, const typename A::input* x, std::int64_t first,
                                             std::int64_t last, partial<typename A::accumulator> left = {})
{
    for (std::int64_t i = first; i < last; ++i) {
        left.append(algebra, partial<typename A::accumulator>(algebra.lift(x[i], i)));
    }
    return left;
}

template <Algebra A>
init_value make_init(const typename A::output& value)
{
    init_value init{.given = true};
    std::memcpy(init.bytes.data(), &value, sizeof value);
    return init;
}

inline std::string at_length(const char* what, std::int64_t count, std::int64_t where)
{
    return std::string(what) + " of " + std::to_string(count) + " elements is wrong at " +
           std::to_string(where) + "\n";
}

} // namespace rankfold::simt::suites

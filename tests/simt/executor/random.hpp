// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace rankfold::simt::executor {

/// The source of every choice of a schedule (splitmix64; Steele, Lea, Flood 2014).
class random_source {
public:
    explicit random_source(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next()
    {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    /// 0 <= result < limit
    std::uint32_t below(std::uint32_t limit)
    {
        return static_cast<std::uint32_t>(((next() >> 32) * limit) >> 32);
    }
    /// True `weight` times in 256.
    bool chance(std::uint32_t weight) { return (next() >> 56) < weight; }

private:
    std::uint64_t state_;
};

} // namespace rankfold::simt::executor

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankfold/host/stream.hpp"

#include "rankfold/host/tuning.hpp"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rankfold::host {
namespace {

#if defined(__SSE2__)
// `to` is aligned to 64 bytes, `lines` are 64 bytes each.
void stream_lines(std::byte* to, const std::byte* from, std::size_t lines)
{
    auto* target = reinterpret_cast<__m128i*>(to);
    const auto* source = reinterpret_cast<const __m128i*>(from);
    for (std::size_t l = 0; l < lines; ++l) {
        for (std::size_t k = 0; k < 4; ++k) {
            _mm_stream_si128(target + 4 * l + k, _mm_loadu_si128(source + 4 * l + k));
        }
    }
}
#else
void stream_lines(std::byte* to, const std::byte* from, std::size_t lines)
{
    std::memcpy(to, from, lines * 64);
}
#endif

} // namespace

void copy_out(void* to, const void* from, std::size_t bytes, bool past_cache)
{
    constexpr std::size_t line = 64;
    auto* target = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
    if (!past_cache || bytes < head + line) {
        std::memcpy(to, from, bytes);
        return;
    }
    const std::size_t lines = (bytes - head) / line;
    std::memcpy(target, source, head);
    stream_lines(target + head, source + head, lines);
    const std::size_t done = head + lines * line;
    std::memcpy(target + done, source + done, bytes - done);
}

void finish_past_cache()
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

bool larger_than_cache(std::size_t bytes)
{
    return bytes >= past_cache_bytes;
}

} // namespace rankfold::host

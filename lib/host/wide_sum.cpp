// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "wide_sum.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

namespace rankfold::host::detail {

const bool has_wide_vectors = __builtin_cpu_supports("avx2") != 0;

[[gnu::target("avx2")]] std::int64_t scan_pairs_wide(const float* x, std::int64_t count, const float* carry,
                                                     float& before, float* y, bool past_cache)
{
    const __m256i low_last = _mm256_set1_epi32(3);
    const __m256i high_last = _mm256_set1_epi32(7);
    const __m256 left = _mm256_set1_ps(carry ? *carry : 0.0F);
    __m256 running = _mm256_set1_ps(before);
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256 v = _mm256_loadu_ps(x + i);
        __m256 shifted = _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(v), 4));
        v = _mm256_blend_ps(_mm256_add_ps(shifted, v), v, 0x11);
        shifted = _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(v), 8));
        v = _mm256_blend_ps(_mm256_add_ps(shifted, v), v, 0x33);
        v = _mm256_blend_ps(_mm256_add_ps(_mm256_permutevar8x32_ps(v, low_last), v), v, 0x0f);
        const __m256 done = _mm256_add_ps(running, v);
        running = _mm256_add_ps(running, _mm256_permutevar8x32_ps(v, high_last));
        const __m256 result = carry ? _mm256_add_ps(left, done) : done;
        past_cache ? _mm256_stream_ps(y + i, result) : _mm256_storeu_ps(y + i, result);
    }
    before = _mm256_cvtss_f32(running);
    return i;
}

[[gnu::target("avx2")]] std::int64_t scan_pairs_wide(const double* x, std::int64_t count, const double* carry,
                                                     double& before, double* y, bool past_cache)
{
    const __m256d left = _mm256_set1_pd(carry ? *carry : 0.0);
    __m256d running = _mm256_set1_pd(before);
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        __m256d v = _mm256_loadu_pd(x + i);
        const __m256d shifted = _mm256_castsi256_pd(_mm256_slli_si256(_mm256_castpd_si256(v), 8));
        v = _mm256_blend_pd(_mm256_add_pd(shifted, v), v, 0x5);
        v = _mm256_blend_pd(_mm256_add_pd(_mm256_permute4x64_pd(v, 0x55), v), v, 0x3);
        const __m256d done = _mm256_add_pd(running, v);
        running = _mm256_add_pd(running, _mm256_permute4x64_pd(v, 0xff));
        const __m256d result = carry ? _mm256_add_pd(left, done) : done;
        past_cache ? _mm256_stream_pd(y + i, result) : _mm256_storeu_pd(y + i, result);
    }
    before = _mm256_cvtsd_f64(running);
    return i;
}

} // namespace rankfold::host::detail

#else

namespace rankfold::host::detail {

const bool has_wide_vectors = false;
std::int64_t scan_pairs_wide(const float*, std::int64_t, const float*, float&, float*, bool)
{
    return 0;
}
std::int64_t scan_pairs_wide(const double*, std::int64_t, const double*, double&, double*, bool)
{
    return 0;
}

} // namespace rankfold::host::detail

#endif

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arithmetic as the library is tested with: to the nearest, with subnormal numbers. A program may have set
// its thread otherwise, and threads of a team keep what held when they were made.
#pragma once

#if defined(__x86_64__)
#include <cstdint>
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace rankfold::host {

/// For a scope, on the calling thread. What is raised within stays raised; traps of the caller stay.
/// Cost: a few nanoseconds where the caller has the same.
class floating_environment {
public:
    floating_environment() noexcept;
    ~floating_environment();
    floating_environment(const floating_environment&) = delete;
    floating_environment& operator=(const floating_environment&) = delete;

private:
#if defined(__x86_64__)
    unsigned vector_;          // MXCSR
    std::uint16_t scalar_ = 0; // the control word of long double
#else
    std::fenv_t callers_{};
#endif
};

#if defined(__x86_64__)

namespace detail {
inline constexpr unsigned vector_control = 0xe040; // rounding, flush-to-zero, denormals-are-zero
inline constexpr unsigned scalar_control = 0x0f00; // rounding, precision
inline constexpr unsigned scalar_default = 0x0300; // to the nearest, 64 bits

inline std::uint16_t scalar_word() noexcept
{
    std::uint16_t word = 0;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

inline void set_scalar_control(unsigned control) noexcept
{
    const auto word = static_cast<std::uint16_t>((scalar_word() & ~scalar_control) | control);
    __asm__ volatile("fldcw %0" : : "m"(word));
}
} // namespace detail

inline floating_environment::floating_environment() noexcept
    : vector_(_mm_getcsr()), scalar_(detail::scalar_word())
{
    if ((vector_ & detail::vector_control) != 0) {
        _mm_setcsr(vector_ & ~detail::vector_control);
    }
    if ((scalar_ & detail::scalar_control) != detail::scalar_default) {
        detail::set_scalar_control(detail::scalar_default);
    }
}

inline floating_environment::~floating_environment()
{
    if ((vector_ & detail::vector_control) != 0) {
        _mm_setcsr((_mm_getcsr() & ~detail::vector_control) | (vector_ & detail::vector_control));
    }
    if ((scalar_ & detail::scalar_control) != detail::scalar_default) {
        detail::set_scalar_control(scalar_ & detail::scalar_control);
    }
}

#else

inline floating_environment::floating_environment() noexcept
{
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
}

inline floating_environment::~floating_environment()
{
    std::feupdateenv(&callers_);
}

#endif

} // namespace rankfold::host

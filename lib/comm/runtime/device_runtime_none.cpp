// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device_runtime.hpp"

#include "rankfold/error.hpp"

namespace rankfold::detail::device_runtime {
namespace {

[[noreturn]] void throw_none()
{
    throw error(errc::unsupported, error_origin::cuda, 0, -1, "Rankfold was built without CUDA");
}

} // namespace

int count(std::string& why_none)
{
    why_none = "Rankfold was built without CUDA";
    return 0;
}
int find(const std::string&)
{
    throw_none();
}
properties query(int)
{
    throw_none();
}
int make_current(int)
{
    throw_none();
}
void restore_current(int) noexcept {}
CUstream_st* make_stream()
{
    throw_none();
}
void destroy_stream(CUstream_st*) noexcept {}
void* allocate(std::size_t, CUstream_st*)
{
    throw_none();
}
void release(void*, CUstream_st*) noexcept {}
void* allocate_pinned(std::size_t)
{
    throw_none();
}
void release_pinned(void*) noexcept {}
void copy(void*, const void*, std::size_t, CUstream_st*)
{
    throw_none();
}
void copy_rows(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, CUstream_st*)
{
    throw_none();
}
bool wait_for_device()
{
    throw_none();
}
void ignore_captures() noexcept {}
beside_captures::beside_captures() noexcept : before_(0) {}
beside_captures::~beside_captures() = default;
bool finished(CUstream_st*)
{
    throw_none();
}
bool finishes_within(double, CUstream_st*)
{
    throw_none();
}
bool capturing(CUstream_st*)
{
    throw_none();
}
std::uint64_t id_of(CUstream_st*) noexcept
{
    return 0;
}
int device_of(CUstream_st*)
{
    throw_none();
}
whereabouts locate(const void*)
{
    throw_none();
}

} // namespace rankfold::detail::device_runtime

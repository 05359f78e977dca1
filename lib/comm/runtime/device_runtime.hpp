// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The little of the CUDA runtime that the communicator needs. device_runtime_cuda.cpp calls it;
// device_runtime_none.cpp stands in where the library is built without CUDA: no devices, and any other call
// throws error (unsupported).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct CUstream_st;

namespace rankfold::detail::device_runtime {

/// Devices visible to this process; on 0 `why_none` says why.
int count(std::string& why_none);
/// Ordinal of "0" or of a PCI bus id "0000:3b:00.0". @throws error (usage) naming the value and the devices
/// there are
int find(const std::string& device);

struct properties {
    std::string name;
    std::string bus_id;
    std::string uuid;
    int multiprocessors = 0;
};
properties query(int device);

/// Makes a device current; returns the one that was.
int make_current(int device);
void restore_current(int device) noexcept;

/// Makes a device current for a scope and restores the caller's.
class guard {
public:
    explicit guard(int device) : previous_(make_current(device)) {}
    ~guard() { restore_current(previous_); }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;

private:
    int previous_;
};

// All below act on the current device.

CUstream_st* make_stream();
void destroy_stream(CUstream_st* stream) noexcept;

/// Zeroed device memory, in stream order where the device has memory pools. @throws error (out_of_memory)
/// with bytes asked for and free
void* allocate(std::size_t bytes, CUstream_st* stream);
/// In stream order, or when the device has nothing else to do: nobody else uses it.
void release(void* memory, CUstream_st* stream) noexcept;
/// Zeroed pinned host memory that the device can access.
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* memory) noexcept;

/// Any kinds of memory, in stream order. Host memory that is not pinned is read or written before it returns.
void copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream);
/// `rows` pieces of `width` bytes.
void copy_rows(void* to, std::size_t to_stride, const void* from, std::size_t from_stride, std::size_t width,
               std::size_t rows, CUstream_st* stream);

/// Waits until the device has ended all that it was given, well or not. False where that cannot be waited
/// for, as a stream is being captured.
bool wait_for_device();
/// Lets the calling thread use the device while other threads capture streams.
void ignore_captures() noexcept;

/// Lets the calling thread work on streams of the library's own while it captures others, for a scope.
class beside_captures {
public:
    beside_captures() noexcept;
    ~beside_captures();
    beside_captures(const beside_captures&) = delete;
    beside_captures& operator=(const beside_captures&) = delete;

private:
    int before_;
};

/// False while work is queued. @throws error (backend) if the device failed
bool finished(CUstream_st* stream);
/// Polls for so long.
bool finishes_within(double seconds, CUstream_st* stream);
/// Whether calls on the stream would be captured, or invalidate a capture that is under way.
bool capturing(CUstream_st* stream);
/// No other stream of the process has it, before or after. Asked of a stream that is captured it would
/// invalidate the capture.
std::uint64_t id_of(CUstream_st* stream) noexcept;
/// The device of a stream.
int device_of(CUstream_st* stream);

/// Where memory is: what decides is whether the current device can access it, not its kind.
enum class reach { device_can_access, host_only, other_device };
struct whereabouts {
    reach how;
    int device; ///< of device memory, else -1
};
whereabouts locate(const void* memory);

} // namespace rankfold::detail::device_runtime

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays larger than the memory of the machine: the pages of a small block, mapped over and over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace rankfold::test {

/// `count` elements at consecutive addresses, in which every element but those of the first and the last
/// block shares its place with one of each block in between. Reads as `value` everywhere, until written to.
template <class T>
class repeated_memory {
public:
    static constexpr std::int64_t block = (std::int64_t{2} << 20) / static_cast<std::int64_t>(sizeof(T));

    repeated_memory(std::int64_t count, T value) : bytes_(blocks_for(count) * block_bytes)
    {
        void* const all =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        require(all != MAP_FAILED);
        data_ = static_cast<T*>(all);
        const int shared = memfd_create("repeated", 0);
        require(shared >= 0 && ftruncate(shared, block_bytes) == 0);
        for (std::size_t at = block_bytes; at + block_bytes < bytes_; at += block_bytes) {
            require(mmap(reinterpret_cast<std::byte*>(data_) + at, block_bytes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_FIXED, shared, 0) != MAP_FAILED);
        }
        close(shared);
        for (T* const some : {data_, data_ + block, end_block()}) {
            std::fill_n(some, block, value);
        }
    }
    ~repeated_memory() { munmap(data_, bytes_); }
    repeated_memory(const repeated_memory&) = delete;
    repeated_memory& operator=(const repeated_memory&) = delete;

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] T* shared_block() const { return data_ + block; }
    /// The block that holds the last element.
    [[nodiscard]] T* end_block() const { return data_ + (bytes_ - block_bytes) / sizeof(T); }

private:
    static constexpr std::size_t block_bytes = block * sizeof(T);
    static std::size_t blocks_for(std::int64_t count)
    {
        return static_cast<std::size_t>(std::max<std::int64_t>((count + block - 1) / block, 3));
    }
    static void require(bool done)
    {
        if (!done) {
            throw std::runtime_error("memory cannot be mapped");
        }
    }

    std::size_t bytes_;
    T* data_ = nullptr;
};

} // namespace rankfold::test

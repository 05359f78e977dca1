// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace field_stats {
namespace {

std::runtime_error system_error(const std::string& path, std::string_view what)
{
    return std::runtime_error(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

struct descriptor {
    int fd;
    ~descriptor() { ::close(fd); }
};

std::int64_t regular_file_bytes(const descriptor& file, const std::string& path)
{
    struct stat status {};
    if (::fstat(file.fd, &status) != 0) {
        throw system_error(path, "stat");
    }
    if (!S_ISREG(status.st_mode)) {
        throw std::runtime_error(fmt::format("{}: is not a regular file", path));
    }
    return status.st_size;
}

file_format judged(const file_head& head, const raw_description& raw)
{
    const std::string_view path = head.path;
    const bool npy_magic = head.bytes.size() >= 6 && std::memcmp(head.bytes.data(), "\x93NUMPY", 6) == 0;
    if (raw.type) {
        return file_format::raw;
    }
    if (npy_magic || path.ends_with(".npy")) {
        return file_format::npy;
    }
    if (path.ends_with(".gtx")) {
        return file_format::gtx;
    }
    throw std::runtime_error(fmt::format(
        "{}: unknown layout: neither .gtx nor .npy; say --format, or --type for raw numbers", path));
}

} // namespace

std::string_view to_string(file_format format) noexcept
{
    switch (format) {
    case file_format::automatic:
        return "automatic";
    case file_format::gtx:
        return "gtx";
    case file_format::npy:
        return "npy";
    case file_format::raw:
        return "raw";
    }
    return "?";
}

std::string_view to_string(number_type type) noexcept
{
    switch (type) {
    case number_type::float32:
        return "float32";
    case number_type::float64:
        return "float64";
    case number_type::int32:
        return "int32";
    case number_type::int64:
        return "int64";
    }
    return "?";
}

std::int64_t bytes_of(number_type type) noexcept
{
    return type == number_type::float32 || type == number_type::int32 ? 4 : 8;
}

file_head read_head(const std::string& path)
{
    const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)}; // a pipe would wait
    if (file.fd < 0) {
        throw system_error(path, "open");
    }
    file_head head{.path = path, .bytes = {}, .file_bytes = regular_file_bytes(file, path)};
    head.bytes.resize(static_cast<std::size_t>(std::min<std::int64_t>(head.file_bytes, head_bytes)));
    for (std::size_t done = 0; done < head.bytes.size();) {
        const ssize_t got =
            ::pread(file.fd, head.bytes.data() + done, head.bytes.size() - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            throw system_error(path, "read");
        }
        done += static_cast<std::size_t>(got);
    }
    return head;
}

layout layout_of(const file_head& head, file_format format, const raw_description& raw)
{
    if (format == file_format::automatic) {
        format = judged(head, raw);
    }
    if (format == file_format::raw) {
        return raw_layout(head, raw);
    }
    if (!raw.empty()) {
        throw std::runtime_error(
            fmt::format("{}: --type, --endian, --offset, --count and --shape are for raw "
                        "files; a {} file says these itself",
                        head.path, to_string(format)));
    }
    return format == file_format::gtx ? gtx_layout(head) : npy_layout(head);
}

std::int64_t count_of(std::span<const std::int64_t> shape, number_type type, const std::string& path)
{
    std::int64_t bytes = bytes_of(type);
    bool fits = true;
    bool empty = false;
    for (const std::int64_t extent : shape) {
        if (extent < 0) {
            throw std::runtime_error(
                fmt::format("{}: negative extent {} in shape ({})", path, extent, fmt::join(shape, ", ")));
        }
        empty = empty || extent == 0;
        fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
    }
    if (empty) {
        return 0;
    }
    if (!fits) {
        throw std::runtime_error(fmt::format("{}: shape ({}) of {} passes 2^63 bytes", path,
                                             fmt::join(shape, ", "), to_string(type)));
    }
    return bytes / bytes_of(type);
}

void require_length(const file_head& head, const layout& where)
{
    const std::int64_t held =
        std::max<std::int64_t>(head.file_bytes - where.offset_bytes, 0) / bytes_of(where.type);
    if (where.count > held) {
        throw std::runtime_error(fmt::format(
            "{}: is shorter than it should be: {} bytes, where {} {} numbers from byte {} on need {}",
            head.path, head.file_bytes, where.count, to_string(where.type), where.offset_bytes,
            static_cast<std::uint64_t>(where.offset_bytes) +
                static_cast<std::uint64_t>(where.count) * static_cast<std::uint64_t>(bytes_of(where.type))));
    }
}

std::vector<std::int64_t> indices_of(const layout& where, std::int64_t index)
{
    std::vector<std::int64_t> indices(where.shape.size());
    for (std::size_t d = where.shape.size(); d-- > 0;) {
        indices[d] = index % where.shape[d];
        index /= where.shape[d];
    }
    return indices;
}

coordinates coordinates_of(const layout& where, std::int64_t index)
{
    const geographic_grid& grid = where.grid.value();
    const std::vector<std::int64_t> at = indices_of(where, index);
    const double longitude =
        std::remainder(grid.longitude + static_cast<double>(at[1]) * grid.longitude_step, 360.0);
    return {grid.latitude + static_cast<double>(at[0]) * grid.latitude_step,
            longitude == -180.0 ? 180.0 : longitude};
}

} // namespace field_stats

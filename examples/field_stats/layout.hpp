// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the numbers of a field lie in its file, and what they mean. Pure functions of the head of the file:
// no MPI.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace field_stats {

enum class file_format : std::uint8_t { automatic, gtx, npy, raw };
enum class number_type : std::uint8_t { float32, float64, int32, int64 };

[[nodiscard]] std::string_view to_string(file_format format) noexcept;
[[nodiscard]] std::string_view to_string(number_type type) noexcept;
[[nodiscard]] std::int64_t bytes_of(number_type type) noexcept;

/// A grid whose rows go north and whose columns go east, in degrees.
struct geographic_grid {
    double latitude;  ///< of the first row
    double longitude; ///< of the first column
    double latitude_step;
    double longitude_step;
};

/// Which values of a grid stand for "not known".
struct no_data_rule {
    float value;   ///< the official one
    double beyond; ///< no value that is known is further from 0

    template <class T>
    [[nodiscard]] bool holds(T x) const noexcept // false for NaN
    {
        return static_cast<float>(x) == value || static_cast<double>(x) > beyond ||
               static_cast<double>(x) < -beyond;
    }
};

/// Everything needed to read a field.
struct layout {
    file_format format = file_format::raw;
    number_type type = number_type::float32;
    std::endian endian = std::endian::little;
    std::int64_t offset_bytes = 0;     ///< of the first number
    std::int64_t count = 0;            ///< numbers, the product of `shape`
    std::vector<std::int64_t> shape{}; ///< the last index runs fastest
    std::optional<geographic_grid> grid{};
    std::optional<no_data_rule> no_data{};
};

/// What the user says of a raw file, which says nothing of itself.
struct raw_description {
    std::optional<number_type> type{};
    std::optional<std::endian> endian{};        ///< little
    std::optional<std::int64_t> offset_bytes{}; ///< 0
    std::optional<std::int64_t> count{};        ///< all that the file holds
    std::vector<std::int64_t> shape{};          ///< one dimension

    [[nodiscard]] bool empty() const { return !type && !endian && !offset_bytes && !count && shape.empty(); }
};

/// The first bytes of a file (at most head_bytes) and the length of all of it.
struct file_head {
    std::string path{};
    std::vector<std::byte> bytes{};
    std::int64_t file_bytes = 0;
};
inline constexpr std::size_t head_bytes = std::size_t{64} << 10;

// All of these throw std::runtime_error with the path, what is wrong, and what would have been right.

/// Reads the head of a regular file.
[[nodiscard]] file_head read_head(const std::string& path);

/// The layout of the file: of the format asked for, else judged by its first bytes and the end of its name.
[[nodiscard]] layout layout_of(const file_head& head, file_format format, const raw_description& raw);
[[nodiscard]] layout gtx_layout(const file_head& head);
[[nodiscard]] layout npy_layout(const file_head& head);
[[nodiscard]] layout raw_layout(const file_head& head, const raw_description& raw);

/// The head of an .npy file (version 1) of little-endian numbers.
[[nodiscard]] std::string npy_head(number_type type, std::span<const std::int64_t> shape);

/// Product of the extents. @throws std::runtime_error if one is negative or the numbers would pass 2^63 bytes
[[nodiscard]] std::int64_t count_of(std::span<const std::int64_t> shape, number_type type,
                                    const std::string& path);

/// @throws std::runtime_error if the file ends before the last number of `where`
void require_length(const file_head& head, const layout& where);

/// The index along each dimension of the number at `index`.
[[nodiscard]] std::vector<std::int64_t> indices_of(const layout& where, std::int64_t index);

struct coordinates {
    double latitude;
    double longitude; ///< in (-180, 180]
};
/// Where on the globe the number at `index` lies; `where.grid` must be there.
[[nodiscard]] coordinates coordinates_of(const layout& where, std::int64_t index);

} // namespace field_stats

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files made byte by byte, independently of the readers that they test.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <vector>

namespace field_stats::test {

/// The bytes of a number, the most significant one first or last.
template <class T>
std::string bytes_in_order(T value, std::endian order)
{
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const bits whole = std::bit_cast<bits>(value);
    std::string result;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        const std::size_t place = order == std::endian::big ? sizeof(T) - 1 - i : i;
        result += static_cast<char>((whole >> (8 * place)) & 0xFF);
    }
    return result;
}

template <class T>
std::string bytes_in_order(const std::vector<T>& values, std::endian order)
{
    std::string result;
    for (const T value : values) {
        result += bytes_in_order(value, order);
    }
    return result;
}

struct gtx_header {
    double latitude = -90.0;
    double longitude = -180.0;
    double latitude_step = 1.0;
    double longitude_step = 1.0;
    std::int32_t rows = 2;
    std::int32_t columns = 3;

    [[nodiscard]] std::string bytes(std::endian order = std::endian::big) const
    {
        return bytes_in_order<double>({latitude, longitude, latitude_step, longitude_step}, order) +
               bytes_in_order<std::int32_t>({rows, columns}, order);
    }
};

/// An .npy file of the given version with this dictionary, not padded.
inline std::string npy_bytes(int version, const std::string& dictionary)
{
    std::string result = "\x93NUMPY";
    result += static_cast<char>(version);
    result += '\0';
    const auto length = static_cast<std::uint32_t>(dictionary.size());
    return result + bytes_in_order(length, std::endian::little).substr(0, version == 1 ? 2 : 4) + dictionary;
}

/// A folder of its own, removed in the end.
class scratch_folder {
public:
    scratch_folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "field_stats-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const
    {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return path(name);
    }
    [[nodiscard]] std::string read(const std::string& name) const
    {
        std::ifstream file(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    /// Names of what lies in the folder.
    [[nodiscard]] std::vector<std::string> names() const
    {
        std::vector<std::string> result;
        for (const auto& entry : std::filesystem::directory_iterator(path_)) {
            result.push_back(entry.path().filename().string());
        }
        return result;
    }

private:
    std::filesystem::path path_;
};

} // namespace field_stats::test

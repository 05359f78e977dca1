// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// NumPy .npy files, versions 1 to 3: "\x93NUMPY", two bytes of version, the length of the header (16 bits in
// version 1, else 32, little-endian), and the header: a Python dictionary of descr, fortran_order and shape.
#include "bytes.hpp"
#include "layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace field_stats {
namespace {

/// Reads the few forms of Python literal that such a header is made of.
class literal_reader {
public:
    literal_reader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

    bool accept(std::string_view token)
    {
        text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
        const bool found = text_.starts_with(token);
        text_.remove_prefix(found ? token.size() : 0);
        return found;
    }
    void expect(std::string_view token)
    {
        if (!accept(token)) {
            throw std::runtime_error(
                fmt::format("{}: unknown layout: '{}' expected in the .npy header before '{}'", path_, token,
                            text_.substr(0, 40)));
        }
    }
    std::string_view string()
    {
        accept("u"); // of Python 2
        const std::string_view quote = accept("\"") ? "\"" : (expect("'"), "'");
        const std::string_view result = text_.substr(0, text_.find(quote));
        text_.remove_prefix(result.size());
        expect(quote);
        return result;
    }
    bool boolean() { return accept("True") || (expect("False"), false); }
    std::vector<std::int64_t> tuple()
    {
        std::vector<std::int64_t> result;
        expect("(");
        while (!accept(")")) {
            result.push_back(integer());
            if (!accept(",")) {
                expect(")");
                break;
            }
        }
        return result;
    }

private:
    std::int64_t integer()
    {
        accept(""); // blanks
        std::int64_t value = 0;
        const auto [end, failed] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (failed != std::errc{}) {
            throw std::runtime_error(
                fmt::format("{}: unknown layout: a 64-bit extent expected in the .npy header at '{}'", path_,
                            text_.substr(0, 40)));
        }
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        if (text_.starts_with('L')) { // a long integer of Python 2
            text_.remove_prefix(1);
        }
        return value;
    }

    std::string_view text_;
    const std::string& path_;
};

struct npy_header {
    std::string_view text;
    std::int64_t end_bytes; ///< where the numbers begin
};

npy_header header_of(const file_head& head)
{
    const std::byte* bytes = head.bytes.data();
    if (head.bytes.size() < 10 || std::memcmp(bytes, "\x93NUMPY", 6) != 0) {
        throw std::runtime_error(
            fmt::format("{}: unknown layout: does not begin like an .npy file", head.path));
    }
    const int version = std::to_integer<int>(bytes[6]);
    if (version < 1 || version > 3) {
        throw std::runtime_error(
            fmt::format("{}: .npy version {} is not known; 1 to 3 are", head.path, version));
    }
    const std::size_t start = version == 1 ? 10 : 12;
    if (head.bytes.size() < start) {
        throw std::runtime_error(fmt::format("{}: ends inside the .npy header", head.path));
    }
    const std::size_t length = version == 1 ? load<std::uint16_t>(bytes + 8, std::endian::little)
                                            : load<std::uint32_t>(bytes + 8, std::endian::little);
    if (start + length > head.bytes.size()) {
        throw std::runtime_error(fmt::format(
            "{}: the .npy header is said to have {} bytes; {}", head.path, length,
            head.bytes.size() < head_bytes ? "the file is shorter" : "more than 64 KiB are refused"));
    }
    return {{reinterpret_cast<const char*>(bytes) + start, length},
            static_cast<std::int64_t>(start + length)};
}

void set_type(layout& result, std::string_view descr, const std::string& path)
{
    const char order = descr.empty() ? '?' : descr.front();
    const std::string_view type = descr.empty() ? descr : descr.substr(1);
    result.endian = order == '<'   ? std::endian::little
                    : order == '>' ? std::endian::big
                                   : std::endian::native;
    if (order != '<' && order != '>' && order != '=') {
        throw std::runtime_error(fmt::format("{}: .npy type '{}' is not supported", path, descr));
    }
    if (type == "f4") {
        result.type = number_type::float32;
    } else if (type == "f8") {
        result.type = number_type::float64;
    } else if (type == "i4") {
        result.type = number_type::int32;
    } else if (type == "i8") {
        result.type = number_type::int64;
    } else {
        throw std::runtime_error(
            fmt::format("{}: .npy type '{}' is not supported; f4, f8, i4 and i8 are", path, descr));
    }
}

} // namespace

layout npy_layout(const file_head& head)
{
    const auto above_one = [](std::int64_t extent) { return extent > 1; }; // two of them have an order
    const npy_header header = header_of(head);
    layout result{.format = file_format::npy, .offset_bytes = header.end_bytes};
    std::optional<std::string_view> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
    literal_reader reader(header.text, head.path);
    reader.expect("{");
    while (!reader.accept("}")) {
        const std::string_view key = reader.string();
        reader.expect(":");
        if (key == "descr") {
            if (reader.accept("[")) {
                throw std::runtime_error(fmt::format("{}: .npy records are not supported", head.path));
            }
            descr = reader.string();
        } else if (key == "fortran_order") {
            fortran_order = reader.boolean();
        } else if (key == "shape") {
            shape = reader.tuple();
        } else {
            throw std::runtime_error(
                fmt::format("{}: unknown layout: key '{}' in the .npy header", head.path, key));
        }
        if (!reader.accept(",")) {
            reader.expect("}");
            break;
        }
    }
    if (!descr || !fortran_order || !shape) {
        throw std::runtime_error(fmt::format(
            "{}: unknown layout: the .npy header lacks descr, fortran_order or shape", head.path));
    }
    set_type(result, *descr, head.path);
    result.count = count_of(*shape, result.type, head.path);
    if (*fortran_order && result.count > 0 && std::ranges::count_if(*shape, above_one) > 1) {
        throw std::runtime_error(
            fmt::format("{}: fortran_order with shape ({}): its first index runs fastest, so that "
                        "places and prefix sums would mean something else; save it with order='C'",
                        head.path, fmt::join(*shape, ", ")));
    }
    result.shape = std::move(*shape);
    require_length(head, result);
    return result;
}

std::string npy_head(number_type type, std::span<const std::int64_t> shape)
{
    const bool floating = type == number_type::float32 || type == number_type::float64;
    std::string dictionary =
        fmt::format("{{'descr': '<{}{}', 'fortran_order': False, 'shape': ({}{}), }}", floating ? 'f' : 'i',
                    bytes_of(type), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    const std::size_t length = (10 + dictionary.size() + 1 + 63) / 64 * 64 - 10; // NumPy aligns to 64 bytes
    dictionary.resize(length - 1, ' ');
    const auto low = static_cast<char>(length & 0xFF);
    const auto high = static_cast<char>(length >> 8);
    return std::string("\x93NUMPY\x01\x00", 8) + low + high + dictionary + '\n';
}

} // namespace field_stats

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "init_text.hpp"

#include <array>
#include <charconv>

namespace rankfold::detail {
namespace {

template <class T>
T read(const init_value& init)
{
    T value;
    std::memcpy(static_cast<void*>(&value), init.bytes.data(), sizeof(T));
    return value;
}

template <class T>
std::string number(T value)
{
    std::array<char, 32> text{};
    const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc() ? std::string(text.data(), end) : "?";
}

template <class T>
std::string pair(T first, T second)
{
    return "(" + number(first) + ", " + number(second) + ")";
}

template <class T>
std::string complex_text(const init_value& init)
{
    const auto value = read<complex<T>>(init);
    return pair(value.re, value.im);
}

template <class T>
std::string affine_text(const init_value& init)
{
    const auto value = read<affine_map<T>>(init);
    return pair(value.a, value.b);
}

std::string hexadecimal(const init_value& init)
{
    constexpr std::size_t shown = 16;
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "0x";
    for (std::size_t i = 0; i < shown; ++i) {
        const auto byte = static_cast<unsigned>(init.bytes[i]);
        text += {digits[byte / 16], digits[byte % 16]};
    }
    return text;
}

} // namespace

std::string init_text(element_type type, const init_value& init)
{
    if (!init.given) {
        return {};
    }
    switch (type) {
    case element_type::int8:
        return number(int{read<std::int8_t>(init)});
    case element_type::int16:
        return number(read<std::int16_t>(init));
    case element_type::int32:
        return number(read<std::int32_t>(init));
    case element_type::int64:
        return number(read<std::int64_t>(init));
    case element_type::uint8:
        return number(unsigned{read<std::uint8_t>(init)});
    case element_type::uint16:
        return number(read<std::uint16_t>(init));
    case element_type::uint32:
        return number(read<std::uint32_t>(init));
    case element_type::uint64:
        return number(read<std::uint64_t>(init));
    case element_type::float16:
        return number(static_cast<float>(read<float16>(init)));
    case element_type::bfloat16:
        return number(static_cast<float>(read<bfloat16>(init)));
    case element_type::float32:
        return number(read<float>(init));
    case element_type::float64:
        return number(read<double>(init));
    case element_type::complex64:
        return complex_text<float>(init);
    case element_type::complex128:
        return complex_text<double>(init);
    case element_type::affine_int64:
        return affine_text<std::int64_t>(init);
    case element_type::affine_float32:
        return affine_text<float>(init);
    case element_type::affine_float64:
        return affine_text<double>(init);
    case element_type::none:
    case element_type::user:
        break;
    }
    return hexadecimal(init);
}

} // namespace rankfold::detail

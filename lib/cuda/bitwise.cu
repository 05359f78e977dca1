// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> bitwise()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<full, bit_and, std::int8_t>(),   row<full, bit_and, std::int16_t>(),
        row<full, bit_and, std::int32_t>(),  row<full, bit_and, std::int64_t>(),
        row<full, bit_and, std::uint8_t>(),  row<full, bit_and, std::uint16_t>(),
        row<full, bit_and, std::uint32_t>(), row<full, bit_and, std::uint64_t>(),
        row<full, bit_or, std::int8_t>(),    row<full, bit_or, std::int16_t>(),
        row<full, bit_or, std::int32_t>(),   row<full, bit_or, std::int64_t>(),
        row<full, bit_or, std::uint8_t>(),   row<full, bit_or, std::uint16_t>(),
        row<full, bit_or, std::uint32_t>(),  row<full, bit_or, std::uint64_t>(),
        row<full, bit_xor, std::int8_t>(),   row<full, bit_xor, std::int16_t>(),
        row<full, bit_xor, std::int32_t>(),  row<full, bit_xor, std::int64_t>(),
        row<full, bit_xor, std::uint8_t>(),  row<full, bit_xor, std::uint16_t>(),
        row<full, bit_xor, std::uint32_t>(), row<full, bit_xor, std::uint64_t>(),
    };
    return rows;
}

} // namespace rankfold::cuda

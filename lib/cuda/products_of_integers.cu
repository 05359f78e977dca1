// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> products_of_integers()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<full, prod, std::int8_t>(),
        row<full, prod, std::int8_t, std::int16_t>(),
        row<full, prod, std::int8_t, std::int32_t>(),
        row<full, prod, std::int8_t, std::int64_t>(),
        row<full, prod, std::int16_t>(),
        row<full, prod, std::int16_t, std::int32_t>(),
        row<full, prod, std::int16_t, std::int64_t>(),
        row<full, prod, std::int32_t>(),
        row<full, prod, std::int32_t, std::int64_t>(),
        row<full, prod, std::int64_t>(),
        row<full, prod, std::uint8_t>(),
        row<full, prod, std::uint8_t, std::uint16_t>(),
        row<full, prod, std::uint8_t, std::uint32_t>(),
        row<full, prod, std::uint8_t, std::uint64_t>(),
        row<full, prod, std::uint16_t>(),
        row<full, prod, std::uint16_t, std::uint32_t>(),
        row<full, prod, std::uint16_t, std::uint64_t>(),
        row<full, prod, std::uint32_t>(),
        row<full, prod, std::uint32_t, std::uint64_t>(),
        row<full, prod, std::uint64_t>(),
    };
    return rows;
}

} // namespace rankfold::cuda

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> logical()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<full, logical_and, std::int8_t>(),   row<full, logical_and, std::int16_t>(),
        row<full, logical_and, std::int32_t>(),  row<full, logical_and, std::int64_t>(),
        row<full, logical_and, std::uint8_t>(),  row<full, logical_and, std::uint16_t>(),
        row<full, logical_and, std::uint32_t>(), row<full, logical_and, std::uint64_t>(),
        row<full, logical_or, std::int8_t>(),    row<full, logical_or, std::int16_t>(),
        row<full, logical_or, std::int32_t>(),   row<full, logical_or, std::int64_t>(),
        row<full, logical_or, std::uint8_t>(),   row<full, logical_or, std::uint16_t>(),
        row<full, logical_or, std::uint32_t>(),  row<full, logical_or, std::uint64_t>(),
    };
    return rows;
}

} // namespace rankfold::cuda

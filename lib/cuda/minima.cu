// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> minima()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<full, min, std::int8_t>(),    row<full, min, std::int16_t>(),  row<always, min, std::int32_t>(),
        row<always, min, std::int64_t>(), row<full, min, std::uint8_t>(),  row<full, min, std::uint16_t>(),
        row<full, min, std::uint32_t>(),  row<full, min, std::uint64_t>(), row<full, min, float16>(),
        row<full, min, bfloat16>(),       row<always, min, float>(),       row<always, min, double>(),
    };
    return rows;
}

} // namespace rankfold::cuda

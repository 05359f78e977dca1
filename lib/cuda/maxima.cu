// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> maxima()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<full, max, std::int8_t>(),    row<full, max, std::int16_t>(),  row<always, max, std::int32_t>(),
        row<always, max, std::int64_t>(), row<full, max, std::uint8_t>(),  row<full, max, std::uint16_t>(),
        row<full, max, std::uint32_t>(),  row<full, max, std::uint64_t>(), row<full, max, float16>(),
        row<full, max, bfloat16>(),       row<always, max, float>(),       row<always, max, double>(),
    };
    return rows;
}

} // namespace rankfold::cuda

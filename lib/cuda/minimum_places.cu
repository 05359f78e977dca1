// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> minimum_places()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<full, min_loc, std::int8_t, located<std::int8_t>>(),
        row<full, min_loc, std::int16_t, located<std::int16_t>>(),
        row<always, min_loc, std::int32_t, located<std::int32_t>>(),
        row<always, min_loc, std::int64_t, located<std::int64_t>>(),
        row<full, min_loc, std::uint8_t, located<std::uint8_t>>(),
        row<full, min_loc, std::uint16_t, located<std::uint16_t>>(),
        row<full, min_loc, std::uint32_t, located<std::uint32_t>>(),
        row<full, min_loc, std::uint64_t, located<std::uint64_t>>(),
        row<full, min_loc, float16, located<float16>>(),
        row<full, min_loc, bfloat16, located<bfloat16>>(),
        row<always, min_loc, float, located<float>>(),
        row<always, min_loc, double, located<double>>(),
    };
    return rows;
}

} // namespace rankfold::cuda

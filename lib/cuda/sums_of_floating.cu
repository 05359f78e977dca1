// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> sums_of_floating()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<full, sum, float16>(),
        row<always, sum, float16, float>(),
        row<full, sum, bfloat16>(),
        row<always, sum, bfloat16, float>(),
        row<always, sum, float>(),
        row<always, sum, float, double>(),
        row<always, sum, double>(),
        row<full, sum, complex<float>>(),
        row<full, sum, complex<float>, complex<double>>(),
        row<always, sum, complex<double>>(),
    };
    return rows;
}

} // namespace rankfold::cuda

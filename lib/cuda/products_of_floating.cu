// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> products_of_floating()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<full, prod, float16>(),
        row<full, prod, float16, float>(),
        row<full, prod, bfloat16>(),
        row<full, prod, bfloat16, float>(),
        row<full, prod, float>(),
        row<full, prod, float, double>(),
        row<full, prod, double>(),
        row<full, prod, complex<float>>(),
        row<full, prod, complex<float>, complex<double>>(),
        row<full, prod, complex<double>>(),
    };
    return rows;
}

} // namespace rankfold::cuda

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "instantiate.cuh"

namespace rankfold::cuda {

std::span<const entry> affine_maps()
{
    using enum operator_id;
    static constexpr std::array rows{
        row<always, affine, affine_map<std::int64_t>>(),
        row<always, affine, affine_map<float>>(),
        row<always, affine, affine_map<double>>(),
    };
    return rows;
}

} // namespace rankfold::cuda

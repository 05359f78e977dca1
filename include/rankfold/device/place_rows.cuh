// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of words to the places that a table gives them. One block per row; reads and writes each row once.
#pragma once

#include "rankfold/device/simt.cuh"

namespace rankfold::device {

struct place_rows_kernel {
    static constexpr int threads = 64; // the words of a slot
    static constexpr int resident = 1;

    struct arguments {
        const std::uint32_t* from;
        std::uint32_t* to;
        const std::int32_t* place_of; ///< of each row of `from`
        int row_words;
    };
    struct storage {};

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& /*shared*/)
    {
        const std::int64_t row = block.index();
        const std::uint32_t* const from = args.from + row * args.row_words;
        std::uint32_t* const to = args.to + std::int64_t{args.place_of[row]} * args.row_words;
        for (int w = block.thread(); w < args.row_words; w += block.threads()) {
            to[w] = from[w];
        }
    }
};

} // namespace rankfold::device

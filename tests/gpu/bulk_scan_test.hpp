// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fixture of tests that scan pieces of some type in bulk.
#pragma once

#include "pieces_test.hpp"

namespace rankfold::test {

class BulkScan : public pieces_test {
protected:
    void SetUp() override
    {
        pieces_test::SetUp();
        if (!IsSkipped() && capability < 90) {
            GTEST_SKIP() << "no bulk copies before sm_90";
        }
    }

    /// Around every boundary, from and to every element, in place where sizes allow.
    template <class Piece>
    void expect_right(const Piece& piece)
    {
        using algebra = typename Piece::algebra;
        const parts of = parts_of<algebra>(form::bulk, here);
        const std::int64_t most = of.grid + of.tile + 1;
        const room<algebra> space(most, here);
        for (const std::int64_t count : boundaries(of, most)) {
            expect_right(piece, space, {count, true, false});
            expect_right(piece, space, {count, false, true});
        }
        for (int shift = 0; shift < 16; shift += next_shift()) {
            const std::int64_t count = of.tile + of.row + 3;
            expect_right(piece, space, {count, shift % 3 != 0, true, false, shift, (7 * shift + 1) % 16});
        }
        if constexpr (algebra::has_identity) {
            expect_right(piece, space, {2 * of.tile + 1, false, false});
        }
        if constexpr (sizeof(typename algebra::input) == sizeof(typename algebra::output)) {
            expect_right(piece, space, {3 * of.tile + 1, true, true, true, 0, 1});
            expect_right(piece, space, {3 * of.tile - 1, false, true, true});
        }
    }

private:
    template <class Piece>
    void expect_right(const Piece& piece, const room<typename Piece::algebra>& space, const scan_case& c)
    {
        using phases = device::phases<typename Piece::algebra>;
        EXPECT_EQ(wrong_results(piece, space, c, phases::launch_bulk_scan), 0U)
            << sizeof(typename Piece::algebra::input) << " bytes an element, " << c;
    }
};

} // namespace rankfold::test

// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements of users' own: sizes that 16 does not divide, padding, no default constructor, an operator that
// does not commute.
#include "bulk_scan_test.hpp"

#include <algorithm>

namespace rankfold::test {

/// What stands first, multiples of a sum, what stands last; modulo 2^bits.
template <class Word, int Words>
struct band {
    Word word[Words];

    RANKFOLD_HOST_DEVICE band(std::int64_t first, std::int64_t sum, std::int64_t last)
    {
        word[0] = static_cast<Word>(first);
        for (int w = 1; w + 1 < Words; ++w) {
            word[w] = static_cast<Word>(w * sum);
        }
        word[Words - 1] = static_cast<Word>(last);
    }
    RANKFOLD_HOST_DEVICE band joined(const band& right) const
    {
        band result = *this;
        for (int w = 1; w + 1 < Words; ++w) {
            result.word[w] = static_cast<Word>(word[w] + right.word[w]);
        }
        result.word[Words - 1] = right.word[Words - 1];
        return result;
    }
    friend RANKFOLD_HOST_DEVICE bool operator==(const band& x, const band& y)
    {
        bool same = true;
        for (int w = 0; w < Words; ++w) {
            same = same && x.word[w] == y.word[w];
        }
        return same;
    }
};

/// The same with six bytes of padding, of which nobody may make anything.
struct padded_band {
    std::int64_t first;
    std::int64_t sum;
    std::int16_t last;

    RANKFOLD_HOST_DEVICE padded_band(std::int64_t f, std::int64_t s, std::int64_t l)
        : first(f), sum(s), last(static_cast<std::int16_t>(l))
    {
    }
    RANKFOLD_HOST_DEVICE padded_band joined(const padded_band& right) const
    {
        return {first, sum + right.sum, right.last};
    }
    friend RANKFOLD_HOST_DEVICE bool operator==(const padded_band&, const padded_band&) = default;
};
static_assert(sizeof(padded_band) == 24);

template <class Band>
struct band_algebra : value_algebra<Band> {
    RANKFOLD_HOST_DEVICE Band combine(const Band& l, const Band& r) const { return l.joined(r); }
};

/// Element i stands first and last as i + 1.
template <class Band>
struct band_piece {
    using algebra = band_algebra<Band>;

    numbers of{.scale = 3, .offset = 1};

    static Band init() { return {1000, 9, 0}; }
    RANKFOLD_HOST_DEVICE Band at(std::int64_t i) const { return {i + 1, of.at(i), i + 1}; }
    RANKFOLD_HOST_DEVICE Band upto(std::int64_t n, bool with_init) const
    {
        return {with_init ? 1000 : 1, (with_init ? 9 : 0) + of.sum(n), n};
    }
};

namespace {

class UserTypes : public pieces_test {
protected:
    /// The other forms, and the reduction.
    template <class Band>
    void expect_right_by_every_form()
    {
        using algebra = band_algebra<Band>;
        const band_piece<Band> piece{};
        const room<algebra> space(1 << 20, here);
        for (const form by : forms_on(capability)) {
            for (int shift = 0; shift < 8; shift += next_shift()) {
                const scan_case c{2 * parts_of<algebra>(by, here).tile + 5,
                                  shift % 2 == 0,
                                  true,
                                  shift % 3 == 0,
                                  shift,
                                  (3 * shift + 1) % 8};
                EXPECT_EQ(wrong_results(piece, space, c, by), 0U)
                    << "form " << static_cast<int>(by) << ", " << c;
            }
        }
        for (int shift = 0; shift < 8; shift += next_shift()) {
            EXPECT_TRUE(reduces(piece, space, reduced() ? 5000 : 100'003, shift)) << "from " << shift;
        }
    }
};

class UserTypesInBulk : public BulkScan {};

TEST_F(UserTypesInBulk, Scan)
{
    expect_right(band_piece<band<std::uint16_t, 3>>{});  // 6 bytes
    expect_right(band_piece<band<std::uint32_t, 3>>{});  // 12
    expect_right(band_piece<band<std::uint16_t, 9>>{});  // 18
    expect_right(band_piece<padded_band>{});             // 24
    expect_right(band_piece<band<std::uint32_t, 12>>{}); // 48
    expect_right(band_piece<band<std::uint64_t, 8>>{});  // 64
}

TEST_F(UserTypes, ScanAndReduceByEveryForm)
{
    expect_right_by_every_form<band<std::uint16_t, 3>>();
    expect_right_by_every_form<padded_band>();
    expect_right_by_every_form<band<std::uint64_t, 8>>();
}

} // namespace

/// Bytes with the alignment that they allow.
template <int Bytes>
struct alignas(Bytes % 8 == 0   ? 8
               : Bytes % 4 == 0 ? 4
               : Bytes % 2 == 0 ? 2
                                : 1) sized {
    unsigned char bytes[Bytes];
};

template <int Element, int Accumulator>
struct sized_algebra : value_algebra<sized<Element>, sized<Accumulator>, sized<Element>> {
    using accumulator = sized<Accumulator>;

    accumulator combine(const accumulator& l, const accumulator& r) const;
};

template <int Element, int... Accumulators>
constexpr std::size_t most_shared_of()
{
    return std::max(
        {sizeof(typename device::bulk_scan_kernel<sized_algebra<Element, Accumulators>,
                                                  device::bulk_row(Element, Accumulators, Element,
                                                                   simt::warp_size)>::storage)...});
}

/// Accumulators from one byte to the largest.
template <int... Elements>
constexpr std::size_t most_shared_by_elements()
{
    return std::max({most_shared_of<Elements, 1, 4, 8, 12, 16, 24, 32, 48, 64>()...});
}

static_assert(most_shared_by_elements<1, 2, 3, 4, 6, 8, 12, 16, 18, 24, 32, 48, 64>() <=
                  device::most_shared_bytes,
              "the bulk form has a row for elements and accumulators of every size");

} // namespace rankfold::test

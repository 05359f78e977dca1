// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program whose code was compiled for compute capability 8.0 alone, on whatever GPU there is: what its code
// is for decides what is launched, and how.
#include "forms.hpp"

#include "rankfold/permitted.hpp"

namespace rankfold::test {
namespace {

using algebra = builtin_algebra<operator_id::sum, std::int64_t, std::int64_t>;
using phases = device::phases<algebra>;

class OlderCode : public gpu_test {};

struct index_of {
    __device__ std::int64_t operator()(std::int64_t i) const { return i; }
};
struct triangle_of {
    __device__ std::int64_t operator()(std::int64_t i) const { return i * (i + 1) / 2; }
};

TEST_F(OlderCode, IsWhatThisProgramConsistsOf)
{
    EXPECT_EQ(capability, 80);
}

TEST_F(OlderCode, ScansPiecesOfAnyLength)
{
    const operation what = describe_operation(algebra{}, operator_id::sum);
    for (const std::int64_t count :
         {std::int64_t{1}, std::int64_t{30'001}, device::bulk_crossover_bytes / 8 + 1}) {
        SCOPED_TRACE(count);
        const device_memory in(static_cast<std::size_t>(count) * 8);
        const room<algebra> space(count, here);
        set(in.as<std::int64_t>(), count, index_of{});

        phases::scan(what, space.scan(in.as<>(), in.as<>(), count), here);

        EXPECT_EQ(wrong(in.as<std::int64_t>(), count, triangle_of{}), 0U);
    }
}

} // namespace
} // namespace rankfold::test

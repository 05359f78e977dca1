// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bad input: a message that names what is wrong and on which rank, an exit code, no hang, nothing
// half-written.
#include "file_bytes.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

using namespace field_stats::test;

void expect_failure(const outcome& result, const std::string& text)
{
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.errors.find(text), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
}

class FieldErrors : public testing::Test {
protected:
    scratch_folder folder_;
    std::string good_ = folder_.write("good.gtx", gtx_header{}.bytes() + std::string(24, '\0'));
};

TEST_F(FieldErrors, MissingFile)
{
    expect_failure(run(2, {folder_.path("none.gtx")}),
                   "none.gtx: cannot open: No such file or directory (all ranks)");
}

TEST_F(FieldErrors, FileShorterThanItsHeaderSays)
{
    const std::string path = folder_.write("short.gtx", gtx_header{}.bytes() + std::string(23, '\0'));

    expect_failure(run(2, {path}), "short.gtx: is shorter than it should be: 63 bytes");
}

TEST_F(FieldErrors, UnknownLayout)
{
    expect_failure(run(2, {folder_.write("field.dat", "abc")}), "field.dat: unknown layout");
    expect_failure(run(2, {folder_.write("field.gtx", std::string(100, 'x'))}), "not a .gtx header");
}

TEST_F(FieldErrors, UnreadableOnOneRankOnly)
{
    folder_.write("one/f.gtx", gtx_header{}.bytes() + std::string(24, '\0'));
    folder_.write("two/other", "");

    const outcome result = run_in_two_folders(folder_.path("one"), folder_.path("two"), {"f.gtx"});

    expect_failure(result, "f.gtx: cannot open: No such file or directory (rank 1)");
}

TEST_F(FieldErrors, AnotherFileOnOneRank)
{
    folder_.write("one/f.gtx", gtx_header{}.bytes() + std::string(24, '\0'));
    folder_.write("two/f.gtx", gtx_header{.rows = 3, .columns = 2}.bytes() + std::string(24, '\0'));

    const outcome result = run_in_two_folders(folder_.path("one"), folder_.path("two"), {"f.gtx"});

    expect_failure(result, "f.gtx: content differs from that of rank 0 (rank 1)");
}

TEST_F(FieldErrors, UnwritableOutput)
{
    expect_failure(run(2, {good_, "--prefix-sum", folder_.path("none/sums.npy")}),
                   "none/sums.npy: cannot write: No such file or directory (rank 0)");
    expect_failure(run(2, {good_, "--prefix-sum", "/dev/full"}),
                   "/dev/full: cannot write: not a regular file");
    expect_failure(run(2, {good_, "--prefix-sum", good_}), "good.gtx: cannot write: it is the input");
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"good.gtx"});
}

TEST_F(FieldErrors, OutputMissingOnOneRank)
{
    const std::string bytes = gtx_header{}.bytes() + std::string(24, '\0');
    folder_.write("one/f.gtx", bytes);
    folder_.write("two/f.gtx", bytes);
    folder_.write("one/out/here", "");

    const outcome result =
        run_in_two_folders(folder_.path("one"), folder_.path("two"), {"f.gtx", "--prefix-sum", "out/sums"});

    expect_failure(result, "No such file or directory (rank 1)");
    EXPECT_FALSE(std::filesystem::exists(folder_.path("one/out/sums")));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path("one/out")), {}), 1);
}

TEST_F(FieldErrors, CommandLine)
{
    expect_failure(run(2, {}), "command line: file is required");
    expect_failure(run(2, {good_, "--type", "int16"}), "int16 not in {");
    expect_failure(run(2, {good_, "--format", "raw"}), "needs --type");
    expect_failure(run(2, {good_, "--count", "3"}), "are for raw files");
    expect_failure(run(2, {folder_.path(""), "--type", "int32"}), "is not a regular file");
}

TEST_F(FieldErrors, HelpIsNone)
{
    const outcome result = run(2, {"--help"});

    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.output.find("--prefix-sum"), std::string::npos);
    EXPECT_EQ(result.output.find("--prefix-sum"), result.output.rfind("--prefix-sum")); // printed once
}

} // namespace

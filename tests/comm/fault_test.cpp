// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that stop, die or leave, on the host backend: this program starts fault_program under mpirun and
// reads what the ranks that live have written. BC-66.
#include "flight/flight_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

/// Four, or as many as there are GPUs for.
int ranks_to_start()
{
    const char* asked = std::getenv("RANKFOLD_TEST_RANKS");
    return asked != nullptr ? std::atoi(asked) : 4;
}

const int ranks = ranks_to_start();
const int victim = ranks / 2;
constexpr int hang_s = 60; ///< twenty times the deadline of those who wait for stopped ranks

class Faults : public testing::Test {
protected:
    Faults()
    {
        std::filesystem::remove_all(directory_);
        std::filesystem::create_directories(directory_);
    }
    ~Faults() override { std::filesystem::remove_all(directory_); }

    /// Runs the scenario; returns the launcher's exit code, 124 if it hung.
    int run(const std::string& scenario, const std::string& victims,
            const std::string& recovery = RANKFOLD_TEST_RECOVERY)
    {
        const std::string command = "timeout -k 5 " + std::to_string(hang_s) +
                                    " " RANKFOLD_TEST_MPIEXEC " -n " + std::to_string(ranks) +
                                    " " RANKFOLD_TEST_MPIEXEC_FLAGS " " + recovery +
                                    " " RANKFOLD_TEST_PROGRAM " " + scenario + " " + victims + " " +
                                    directory_.string() + " > " + (directory_ / "mpirun").string() + " 2>&1";
        return WEXITSTATUS(std::system(command.c_str()));
    }
    /// What a rank has written, by key; the text runs to the next key.
    std::map<std::string, std::string> report_of(int rank) const
    {
        std::ifstream file(directory_ / ("report." + std::to_string(rank)));
        std::map<std::string, std::string> result;
        std::string key;
        for (std::string line; std::getline(file, line);) {
            const auto equals = line.find('=');
            const bool starts = equals != std::string::npos && line.find(' ') > equals;
            key = starts ? line.substr(0, equals) : key;
            result[key] += starts ? line.substr(equals + 1) : "\n" + line;
        }
        return result;
    }
    std::string said_by(int rank) const
    {
        std::stringstream text;
        text << std::ifstream(directory_ / ("stderr." + std::to_string(rank))).rdbuf();
        return text.str();
    }
    /// The records of the ranks that wrote one.
    std::vector<rankfold::launcher::flight_record> flight_records() const
    {
        std::vector<rankfold::launcher::flight_record> records;
        for (const auto& file : std::filesystem::directory_iterator(directory_)) {
            if (file.path().extension() == ".jsonl") {
                std::ifstream in(file.path());
                records.push_back(rankfold::launcher::read_flight_record(in, file.path()));
            }
        }
        return records;
    }
    /// Every survivor: an error in time that names each victim, with what became of it, and nobody else; then
    /// a communicator of the survivors.
    void expect_survivors_name(const std::vector<int>& victims, const std::string& became) const
    {
        const bool may_come_back = became.starts_with("stopped");
        for (int r = 0; r < ranks; ++r) {
            if (std::count(victims.begin(), victims.end(), r) != 0) {
                continue;
            }
            SCOPED_TRACE("survivor " + std::to_string(r));
            const auto report = report_of(r);
            const auto value = [&](const char* key) { return report.contains(key) ? report.at(key) : ""; };
            EXPECT_EQ(value("before"), std::to_string(ranks));
            EXPECT_EQ(value("code"), "timeout");
            EXPECT_NE(value("status"), "success");
            for (int other = 0; other < ranks; ++other) {
                const bool is_victim = std::count(victims.begin(), victims.end(), other) != 0;
                const bool named = value("text").find("rank " + std::to_string(other)) != std::string::npos;
                EXPECT_TRUE(named || !is_victim) << "does not name rank " << other << ":\n" << value("text");
                EXPECT_TRUE(!named || is_victim || other == r) << "blames rank " << other << ":\n"
                                                               << value("text");
                EXPECT_TRUE(!is_victim || value("text").find(report_of(other)["pid"]) != std::string::npos)
                    << "does not tell the process of rank " << other << ":\n"
                    << value("text");
            }
            EXPECT_NE(value("text").find("in the loop"), std::string::npos) << value("text");
            EXPECT_NE(value("text").find(became), std::string::npos) << value("text");
            if (may_come_back) {
                EXPECT_NE(said_by(r).find(became), std::string::npos) << said_by(r);
                EXPECT_NE(said_by(r).find(std::to_string(victims.front())), std::string::npos)
                    << "no warning before the error: " << said_by(r);
            } else { // the deadline is 60 s
                EXPECT_LT(std::stod(value("after_s")), 15) << "waited for ranks that never come";
            }
            EXPECT_EQ(value("destroyed"), "1");
            EXPECT_EQ(value("survivors"), std::to_string(ranks - static_cast<int>(victims.size())));
            EXPECT_EQ(value("finished"), "1");
        }
    }

    std::filesystem::path directory_ =
        std::filesystem::temp_directory_path() / ("rankfold_faults_" + std::to_string(getpid()));
};

TEST_F(Faults, AKilledRankIsNamedByEverySurvivor)
{
    const int code = run("kill", std::to_string(victim));
    const auto records = flight_records();
    const auto found = rankfold::launcher::first_divergence(records);

    EXPECT_NE(code, 124) << "hung";
    expect_survivors_name({victim}, "gone; not in Rankfold since call 50");
    EXPECT_EQ(records.size(), static_cast<std::size_t>(ranks - 1));
    EXPECT_TRUE(found && found->call == 51) << rankfold::launcher::show_divergence(records, found);
}

TEST_F(Faults, AKilledRankZeroIsNamedByEverySurvivor)
{
    const int code = run("kill", "0");

    EXPECT_NE(code, 124) << "hung";
    expect_survivors_name({0}, "gone; not in Rankfold since call 50");
}

TEST_F(Faults, TwoStoppedRanksAreNamedAndEndWhenTheyGoOn)
{
    if (ranks < 4) {
        GTEST_SKIP() << "needs 4 ranks";
    }
    const int code = run("stop", "1,3");

    EXPECT_NE(code, 124) << "hung";
    expect_survivors_name({1, 3}, "stopped; not in Rankfold since call 50");
    for (const int resumed : {1, 3}) {
        EXPECT_EQ(report_of(resumed)["destroyed"], "1") << "rank " << resumed;
        EXPECT_EQ(report_of(resumed)["finished"], "1") << "rank " << resumed;
    }
}

TEST_F(Faults, AStoppedRankIsNamedByEverySurvivor)
{
    const int code = run("stop", std::to_string(victim));

    EXPECT_NE(code, 124) << "hung";
    expect_survivors_name({victim}, "stopped; not in Rankfold since call 50");
    EXPECT_EQ(report_of(victim)["finished"], "1");
}

TEST_F(Faults, ARankThatExitsWithoutAWordIsNamedByEverySurvivor)
{
    const int code = run("exit", std::to_string(victim));

    EXPECT_NE(code, 124) << "hung";
    expect_survivors_name({victim}, "gone; not in Rankfold since call 50");
}

TEST_F(Faults, ARankThatReturnsEarlyIsNamedByEverySurvivor)
{
    const int code = run("finish", std::to_string(ranks - 1));

    EXPECT_NE(code, 124) << "hung";
    expect_survivors_name({ranks - 1}, "destroyed its communicator after call 50");
}

TEST_F(Faults, WithoutRecoveryTheLauncherEndsTheJobWithAnError)
{
    const int code = run("kill", std::to_string(victim), "");

    EXPECT_NE(code, 124) << "hung";
    EXPECT_NE(code, 0);
}

} // namespace

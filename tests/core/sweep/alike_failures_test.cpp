#include "core/sweep/alike_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dailies::sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

EndedRun failed(const std::string& id, std::int64_t endMs, const std::string& reason = "exit code 3",
                std::int64_t tookMs = 2'000) {
    return {id, true, reason, endMs, tookMs};
}

TEST(AlikeFailures, AreTheRunsThatEndedFirst) {
    const auto alike =
        firstRunsFailedAlike({failed("d", 40, "other"), failed("b", 20), failed("a", 10), failed("c", 30)});
    ASSERT_THAT(alike, SizeIs(kAlikeFailures));
    EXPECT_EQ(alike[0].id, "a");
    EXPECT_EQ(alike[2].id, "c");
}

TEST(AlikeFailures, AreNoneWhereARunEndedInAnotherWay) {
    EXPECT_THAT(firstRunsFailedAlike({failed("a", 10), failed("b", 20)}), IsEmpty()) << "too few";
    EXPECT_THAT(firstRunsFailedAlike({failed("a", 10), failed("b", 20), failed("c", 30, "out of memory")}),
                IsEmpty());
    EXPECT_THAT(
        firstRunsFailedAlike({failed("a", 10), failed("b", 20), failed("c", 30, "exit code 3", 600'000)}),
        IsEmpty())
        << "it trained for ten minutes";
    EXPECT_THAT(firstRunsFailedAlike(
                    {failed("a", 10), {"b", false, "", 20, 1'000}, failed("c", 30), failed("d", 40)}),
                IsEmpty())
        << "one finished";
}

TEST(AlikeFailures, MayDifferInNumbers) {
    EXPECT_THAT(firstRunsFailedAlike({failed("a", 10, "rank 3 at 0x7f2a: killed"),
                                      failed("b", 20, "rank 11 at 0x9c: killed"),
                                      failed("c", 30, "rank 0 at 0xdeadbeef: killed")}),
                SizeIs(3));
}

TEST(SharedLastLines, AreThoseOfTheFirstLog) {
    const std::vector<std::string> logs = {
        "starts\nlr 0.1\nTraceback (most recent call last):\n  File \"train.py\", line 3\nKeyError: 'x'\n\n",
        "\x1b[31mstarts\nlr 0.2 and more\nTraceback (most recent call last):\r\n  File \"train.py\", line "
        "3\nKeyError: 'x'\n"};
    EXPECT_THAT(
        sharedLastLines(logs, 8),
        ElementsAre("Traceback (most recent call last):", "File \"train.py\", line 3", "KeyError: 'x'"));
    EXPECT_THAT(sharedLastLines(logs, 1), ElementsAre("KeyError: 'x'"));
    EXPECT_THAT(sharedLastLines({logs[0], "other\n"}, 8), IsEmpty());
    EXPECT_THAT(sharedLastLines({logs[0], ""}, 8), IsEmpty());
    EXPECT_THAT(sharedLastLines({}, 8), IsEmpty());
    EXPECT_THAT(sharedLastLines({"srun: error: n1: task 0: Exited with exit code 3\nkilled",
                                 "killed\nsrun: launch/slurm: "
                                 "_step_signal: Terminating StepId=2.0\n"},
                                8),
                ElementsAre("killed"));
    EXPECT_THAT(sharedLastLines({"10%\r50%\rkilled 12\n", "killed 7"}, 8), ElementsAre("killed 12"));
}

}  // namespace
}  // namespace dailies::sweep

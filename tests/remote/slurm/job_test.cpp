#include "remote/slurm/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote::slurm {
namespace {

using testing::HasSubstr;

JobStatus job(const std::string& state, const std::string& reason = "", const std::string& exitCode = "") {
    JobStatus status;
    status.job = "12_0";
    status.state = state;
    status.reason = reason;
    status.exitCode = exitCode;
    return status;
}

TEST(SlurmJob, KnowsWhichStatesMayStillChange) {
    for (const char* state : {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL",
                              "BOOT_FAIL", "DEADLINE"})
        EXPECT_TRUE(isFinal(state)) << state;
    for (const char* state :
         {"PENDING", "RUNNING", "COMPLETING", "PREEMPTED", "REQUEUED", "REQUEUE_HOLD", "SUSPENDED", ""})
        EXPECT_FALSE(isFinal(state)) << state;
}

TEST(SlurmJob, EveryWordThatSlurmHasForAStateIsExplained) {
    for (const char* state :
         {"PENDING",       "RUNNING",       "SUSPENDED",    "COMPLETED",    "CANCELLED",    "FAILED",
          "TIMEOUT",       "NODE_FAIL",     "PREEMPTED",    "BOOT_FAIL",    "DEADLINE",     "OUT_OF_MEMORY",
          "COMPLETING",    "CONFIGURING",   "RESIZING",     "REQUEUED",     "STAGE_OUT",    "STOPPED",
          "REVOKED",       "RESV_DEL_HOLD", "SIGNALING",    "REQUEUE_HOLD", "SPECIAL_EXIT", "REQUEUE_FED",
          "LAUNCH_FAILED", "RECONFIG_FAIL", "POWER_UP_NODE"}) {
        JobStatus status;
        status.state = state;
        const std::string text = explain(status);
        EXPECT_EQ(text.find("Slurm says"), std::string::npos) << state << ": " << text;
        EXPECT_EQ(text.back(), '.') << state;
        EXPECT_EQ(text.find("  "), std::string::npos) << state;
    }
}

TEST(SlurmJob, SaysWhyAJobWaits) {
    EXPECT_EQ(explain(job("PENDING", "Resources")), "Waiting for free nodes.");
    EXPECT_THAT(explain(job("PENDING", "ReqNodeNotAvail, UnavailableNodes:n1")),
                HasSubstr("down, drained or reserved"));
    EXPECT_THAT(explain(job("PENDING", "SomethingNew")), HasSubstr("SomethingNew"));
}

TEST(SlurmJob, SaysWhyAJobEndedAndWhatToDo) {
    EXPECT_THAT(explain(job("TIMEOUT")), HasSubstr("longer time limit"));
    EXPECT_THAT(explain(job("OUT_OF_MEMORY", "", "0:125")), HasSubstr("more memory"));
    EXPECT_THAT(explain(job("FAILED", "", "0:53")), HasSubstr("log path could not be written"));
    EXPECT_THAT(explain(job("FAILED", "JobLaunchFailure", "0:9")), HasSubstr("signal 9"));
    EXPECT_THAT(explain(job("FAILED", "NonZeroExitCode", "3:0")), HasSubstr("exit code 3"));
    EXPECT_THAT(explain(job("FAILED", "NonZeroExitCode", "137:0")), HasSubstr("signal 9"));
    EXPECT_THAT(explain(job("CANCELLED")), HasSubstr("cancelled"));
}

}  // namespace
}  // namespace dailies::remote::slurm

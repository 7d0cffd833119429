#include "remote/follow/checkpoint_samples.h"

#include "core/base/files.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/sample_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kBegun = "start\t5_0\t0\tn1\t1000\t\n";

class Sampled : public testing::Test {
protected:
    Sampled() {
        tracking::Run run;
        run.id = m_run;
        run.name = "lr=0.1";
        run.experimentId = m_store.ensureExperiment("e");
        m_store.createRun(run);
    }
    CheckpointSamples::Report look(const std::string& marks,
                                   const std::map<std::string, slurm::JobStatus>& statuses = {}) {
        return m_samples.look({{m_run, kBegun + marks}}, statuses);
    }
    static std::map<std::string, slurm::JobStatus> inState(const std::string& state) {
        slurm::JobStatus status;
        status.job = "6";
        status.state = state;
        return {{"6", status}};
    }
    std::string counts() const { return tagOf(*m_store.run(m_run), tracking::tag::kSamples); }

    const std::string m_run = std::string(32, 'a');
    TemporaryFolder m_folder;
    tracking::Store m_store{m_folder.path() / "dailies.db"};
    CheckpointSamples m_samples{m_store};
};

TEST_F(Sampled, AreWaitedForUntilTheirJobsMarkedTheEnd) {
    EXPECT_THAT(look("").changedRuns, IsEmpty());
    EXPECT_FALSE(m_samples.isWaitedFor(m_run));
    EXPECT_THAT(look("sample\t6\t0\t100\t1001\t\n").changedRuns, ElementsAre(m_run));
    EXPECT_EQ(counts(), "0 sampled, 0 failed, 1 waiting");
    EXPECT_THAT(m_samples.openJobs(), ElementsAre("6"));
    EXPECT_THAT(look("sample\t6\t0\t100\t1001\t\n", inState("RUNNING")).changedRuns, IsEmpty());
    look("sample\t6\t0\t100\t1001\t\nsampled\t6\t0\t100\t1002\t0\n");
    EXPECT_EQ(counts(), "1 sampled, 0 failed, 0 waiting");
    EXPECT_FALSE(m_samples.isWaitedFor(m_run));
}

TEST_F(Sampled, WhatFailedIsToldOnce) {
    const std::string marks = "sample\t6\t0\t100\t1001\t\nsampled\t6\t0\t100\t1002\t3\n";
    const auto notes = look(marks).notes;
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_THAT(notes[0],
                HasSubstr("lr=0.1: The checkpoint of step 100 was not sampled: the command ended with "
                          "exit code 3; checkpoint_samples/step_100.txt"));
    EXPECT_THAT(look(marks).notes, IsEmpty());
    CheckpointSamples another(m_store);  // of a program that was started again
    EXPECT_THAT(another.look({{m_run, kBegun + marks}}, {}).notes, IsEmpty());
    EXPECT_EQ(m_store.messages(m_run).size(), 1u);
}

TEST_F(Sampled, AJobThatWasKilledOrCancelledIsNotWaitedForForEver) {
    const std::string marks = "sample\t6\t0\t100\t1001\t\n";
    look(marks);
    look(marks, inState("CANCELLED"));
    EXPECT_TRUE(m_samples.isWaitedFor(m_run)) << "its mark may be read in the next round";
    look(marks, inState("CANCELLED"));
    EXPECT_FALSE(m_samples.isWaitedFor(m_run));
    EXPECT_EQ(counts(), "0 sampled, 1 failed, 0 waiting");
    EXPECT_THAT(m_store.messages(m_run).at(0).text, HasSubstr("The checkpoint of step 100 was not sampled."));
}

TEST_F(Sampled, AJobThatSlurmForgotIsLostAndOneThatWasNotSubmittedIsTold) {
    const std::string marks = "sample\t6\t0\t100\t1001\t\nunsampled\t5_0\t0\t200\t1001\t1\n";
    look(marks);
    look(marks);
    look(marks);
    EXPECT_EQ(counts(), "0 sampled, 2 failed, 0 waiting");
    std::string told;
    for (const auto& message : m_store.messages(m_run)) told += message.text + "\n";
    EXPECT_THAT(told, HasSubstr("Slurm no longer knows its job."));
    EXPECT_THAT(told, HasSubstr("step 200 could not be given to a job to sample; the run's log says why."));
}

}  // namespace
}  // namespace dailies::remote

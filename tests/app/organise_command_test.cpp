#include "tests/support/dailies_program.h"
#include "tests/support/demo_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace {

using namespace dailies;
using testing::HasSubstr;

/// On a store of four runs of a sweep over the learning rate.
class OrganiseCommands : public testing::Test {
protected:
    OrganiseCommands() {
        const auto demo = test::makeDemoStore(m_home.path() / "data" / "dailies",
                                              {.prompts = 1, .samples = 1, .frames = 2, .scale = 1});
        std::filesystem::rename(demo.file, m_dailies.store());
        m_run = m_dailies.json({"runs", "--order-by", "number(params.optimizer.lr) DESC"})[0].at("name");
    }
    std::size_t listed(const std::string& filter = {}) const {
        return m_dailies.json({"runs", "--filter", filter}).size();
    }

    TemporaryFolder m_home{"dailies-organise"};
    test::DailiesProgram m_dailies{m_home.path()};
    std::string m_run;  ///< the name of the one with the greatest rate
};

TEST_F(OrganiseCommands, TagsAreSetOnAllRunsThatAFilterKeepsAndRemovedAgain) {
    EXPECT_EQ(
        m_dailies.run({"tag", "--filter", "params.optimizer.lr > 1e-3", "--set", "verdict=look = again"})
            .status,
        0);
    EXPECT_EQ(listed("tags.verdict = 'look = again'"), 3u);
    EXPECT_EQ(m_dailies.run({"tag", m_run, "--remove", "verdict"}).status, 0);
    EXPECT_EQ(listed("tags.verdict = 'look = again'"), 2u);
}

TEST_F(OrganiseCommands, RemovingATagTellsHowManyRunsHadIt) {
    const std::vector<std::string> all{"tag", "--filter", "metrics.loss > 0", "--remove", "verdict"};
    EXPECT_EQ(m_dailies.run({"tag", m_run, "--set", "verdict=good"}).err, "1 run tagged.\n");
    EXPECT_EQ(m_dailies.run(all).err, "Tag verdict removed from 1 of 4 runs; the others did not have it.\n");
    const auto again = m_dailies.run(all);
    EXPECT_EQ(again.status, 0);
    EXPECT_EQ(again.err, "None of these runs has a tag verdict; nothing was removed.\n");
    EXPECT_EQ(m_dailies.run({"tag", "--filter", "metrics.loss > 1e9", "--remove", "verdict"}).err,
              "No run matches; nothing was changed.\n");
    EXPECT_EQ(m_dailies.run({"tag", m_run, "--remove", "verdict"}).err,
              "The run has no tag verdict; nothing was removed.\n");
}

TEST_F(OrganiseCommands, AnArchivedRunLeavesTheListAndComesBack) {
    EXPECT_EQ(m_dailies.run({"archive", m_run}).status, 0);
    EXPECT_EQ(listed(), 3u);
    EXPECT_EQ(m_dailies.run({"restore", m_run}).status, 0);
    EXPECT_EQ(listed("name = '" + m_run + "'"), 1u);
}

TEST_F(OrganiseCommands, OnlyArchivedRunsAreDeletedForEverAndOnlyWhenOneSaysYes) {
    const auto active = m_dailies.run({"delete", m_run, "--yes"});
    EXPECT_EQ(active.status, 2);
    EXPECT_THAT(active.err, HasSubstr("No archived run"));
    m_dailies.run({"archive", m_run});
    const auto asked = m_dailies.run({"delete", m_run});
    EXPECT_EQ(asked.status, 2);
    EXPECT_THAT(asked.err, HasSubstr("--yes"));
    EXPECT_EQ(m_dailies.run({"restore", m_run}).status, 0) << "asking deleted nothing";
    m_dailies.run({"archive", m_run});
    EXPECT_EQ(m_dailies.run({"delete", m_run, "--yes"}).status, 0);
    EXPECT_EQ(m_dailies.run({"restore", m_run}).status, 2);
    EXPECT_EQ(listed(), 3u);
}

TEST_F(OrganiseCommands, WhatIsNotMeantClearlyIsRefusedAndChangesNothing) {
    EXPECT_EQ(m_dailies.run({"archive"}).status, 2) << "all of them would be a surprise";
    EXPECT_EQ(m_dailies.run({"archive", m_run, "--filter", "metrics.loss > 0"}).status, 2);
    EXPECT_EQ(m_dailies.run({"archive", "nobody"}).status, 2);
    EXPECT_EQ(m_dailies.run({"tag", m_run, "--set", "verdict"}).status, 2);
    EXPECT_EQ(m_dailies.run({"tag", m_run}).status, 2);
    EXPECT_EQ(m_dailies.run({"archive", "--filter", "metrics.loss >"}).status, 2);
    EXPECT_EQ(listed(), 4u);
}

}  // namespace

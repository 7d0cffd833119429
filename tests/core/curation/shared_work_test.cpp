#include "core/curation/shared_work.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::curation {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::ElementsAre;

class SharedWorkTest : public testing::Test {
protected:
    fs::path folder() const { return m_folder.path() / "shared"; }
    void age(const std::string& item, std::chrono::seconds by) const {
        const auto file = folder() / (item + ".claim");
        fs::last_write_time(file, fs::file_time_type::clock::now() - by);
    }

private:
    TemporaryFolder m_folder;
};

TEST_F(SharedWorkTest, AnItemIsOnesUntilItIsGivenBack) {
    SharedWork one(folder()), other(folder());
    EXPECT_TRUE(one.claim("a"));
    EXPECT_FALSE(other.claim("a"));
    EXPECT_TRUE(other.claim("b"));
    one.giveBack("a");
    EXPECT_TRUE(other.claim("a"));
}

TEST_F(SharedWorkTest, WhatADeadProcessClaimedIsTakenOverByOne) {
    SharedWork dead(folder()), one(folder()), other(folder());
    ASSERT_TRUE(dead.claim("a"));
    age("a", SharedWork::kStaleAfter - 5s);
    EXPECT_FALSE(one.claim("a"));
    age("a", SharedWork::kStaleAfter + 5s);
    EXPECT_TRUE(one.claim("a"));
    EXPECT_FALSE(other.claim("a"));
}

TEST_F(SharedWorkTest, WhatEndedIsKnownToAllWithItsProblem) {
    SharedWork one(folder()), other(folder());
    one.end("a");
    one.end("b", "It is no film.");
    EXPECT_THAT(other.ended(), ElementsAre("a", "b"));
    EXPECT_TRUE(other.hasEnded("b"));
    EXPECT_FALSE(other.hasEnded("c"));
    EXPECT_EQ(other.problemOf("a"), "");
    EXPECT_EQ(other.problemOf("b"), "It is no film.");
}

TEST_F(SharedWorkTest, LeavesNothingClaimedWhereWorkWasBrokenOff) {
    {
        SharedWork one(folder());
        ASSERT_TRUE(one.claim("a"));
    }
    EXPECT_TRUE(SharedWork(folder()).claim("a"));
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder())) left.push_back(entry.path().filename());
    EXPECT_THAT(left, testing::IsEmpty());
}

TEST_F(SharedWorkTest, AFolderThatCannotBeMadeIsNamed) {
    fs::create_directories(folder().parent_path());
    writeFileAtomically(folder(), "a file");
    EXPECT_THROW(SharedWork{folder()}, Error);
}

TEST(SharedFolders, OfJobsThatEndedLongAgoAreRemoved) {
    const TemporaryFolder parent;
    for (const char* job : {"old", "new"})
        std::filesystem::create_directories(sharedFolder(parent.path(), job));
    writeFileAtomically(sharedFolder(parent.path(), "old") / "film.end", "");
    std::filesystem::create_directories(parent.path() / "other");
    const auto longAgo = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 8);
    for (const auto& folder : {sharedFolder(parent.path(), "old"), parent.path() / "other"})
        std::filesystem::last_write_time(folder, longAgo);
    removeOldShares(parent.path());
    EXPECT_FALSE(std::filesystem::exists(sharedFolder(parent.path(), "old")));
    EXPECT_TRUE(std::filesystem::exists(sharedFolder(parent.path(), "new")));
    EXPECT_TRUE(std::filesystem::exists(parent.path() / "other")) << "a folder of something else";
    removeOldShares(parent.path() / "nowhere");
}

}  // namespace
}  // namespace dailies::curation

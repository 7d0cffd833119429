#include "trainer/mirror/run_mirror.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/core/objects/running_bucket.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const std::string kId = "0123456789abcdef0123456789abcdef";
const std::string kStep10 = "checkpoints/step-000000010/", kStep20 = "checkpoints/step-000000020/";

/// The files below a folder, by their paths.
std::set<std::string> filesBelow(const fs::path& folder) {
    std::set<std::string> paths;
    if (!fs::exists(folder)) return paths;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) paths.insert(entry.path().lexically_relative(folder).generic_string());
    return paths;
}

class RunMirrorTest : public testing::Test {
protected:
    RunMirrorTest() {
        bucket.put("lab/there", "x");
        write("config.json", "{}");
        write("events.jsonl", "start\n");
        write("clips/step-000000010/a cat-1.mp4", "clip");
        write("cache/latents", "made again");
        write("heartbeats/0", "1");
        writeCheckpoint(kStep10, "ten");
    }

    void write(const std::string& path, const std::string& bytes) const {
        writeFileAtomically(folder() / path, bytes);
    }
    void writeCheckpoint(const std::string& checkpoint, const std::string& weights) const {
        write(checkpoint + "weights.safetensors", weights);
        write(checkpoint + "optimizer.safetensors", "moments of " + weights);
        write(checkpoint + "manifest.json", "{}");
    }
    fs::path folder() const { return workspace.path() / kId; }
    /// What the bucket has of the run.
    fs::path copy() const { return bucket.file("lab/runs/" + kId); }
    std::string copied(const std::string& path) const { return readFile(copy() / path); }

    RunMirror open() const { return RunMirror(folder(), "s3://lab/runs/", bucket.access()); }
    void loseTheFolder() const {
        fs::remove_all(folder());
        write("config.json", "{}");
    }
    std::string failureOf(const std::function<void()>& work) const {
        try {
            work();
        } catch (const Error& error) {
            return error.full();
        }
        return "";
    }

    objects::RunningBucket bucket;
    TemporaryFolder workspace;
};

TEST_F(RunMirrorTest, CopiesTheRunButWhatCanBeMadeAgain) {
    auto mirror = open();
    EXPECT_TRUE(mirror.isBehind());
    const auto done = mirror.copy();
    EXPECT_EQ(done, 6);
    EXPECT_THAT(filesBelow(copy()),
                UnorderedElementsAre("config.json", "events.jsonl", "clips/step-000000010/a cat-1.mp4",
                                     kStep10 + "weights.safetensors", kStep10 + "optimizer.safetensors",
                                     kStep10 + "manifest.json"));
    EXPECT_EQ(copied(kStep10 + "weights.safetensors"), "ten");
    EXPECT_THAT(bucket.writes().back(), HasSubstr("manifest.json")) << "last, when the rest is there";
    EXPECT_FALSE(mirror.isBehind());
}

TEST_F(RunMirrorTest, CopiesOnlyWhatChangedAlsoInTheNextAttempt) {
    open().copy();
    const auto before = bucket.writes().size();
    auto mirror = open();
    EXPECT_FALSE(mirror.isBehind());
    EXPECT_EQ(mirror.copy(), 0);
    write("events.jsonl", "start\nend\n");
    EXPECT_EQ(mirror.copy(), 1);
    EXPECT_EQ(copied("events.jsonl"), "start\nend\n");
    EXPECT_EQ(bucket.writes().size(), before + 1);
}

TEST_F(RunMirrorTest, LeavesOutACheckpointThatIsNotComplete) {
    fs::remove(folder() / (kStep10 + "manifest.json"));
    auto mirror = open();
    EXPECT_FALSE(mirror.isBehind());
    mirror.copy();
    EXPECT_THAT(filesBelow(copy()), Not(Contains(HasSubstr("checkpoints"))));
}

TEST_F(RunMirrorTest, RemovesACheckpointThatTheRunNoLongerKeeps) {
    auto mirror = open();
    mirror.copy();
    fs::remove_all(folder() / kStep10);
    writeCheckpoint(kStep20, "twenty");
    mirror.copy();
    const auto files = filesBelow(copy() / "checkpoints");
    EXPECT_THAT(files, Contains("step-000000020/manifest.json"));
    EXPECT_THAT(files, Not(Contains(HasSubstr("step-000000010"))));
    EXPECT_TRUE(fs::exists(copy() / "clips/step-000000010/a cat-1.mp4"));
}

TEST_F(RunMirrorTest, ACheckpointThatIsWrittenOnceMoreDoesNotLookCompleteMeanwhile) {
    open().copy();
    writeCheckpoint(kStep10, "ten, another time");
    auto mirror = open();
    bucket.fail({{"full", true}});
    EXPECT_THAT(failureOf([&] { mirror.copy(); }), HasSubstr("The bucket is full."));
    EXPECT_FALSE(fs::exists(copy() / (kStep10 + "manifest.json")));
    bucket.fail(Json::object());
    mirror.copy();
    EXPECT_EQ(copied(kStep10 + "weights.safetensors"), "ten, another time");
    EXPECT_TRUE(fs::exists(copy() / (kStep10 + "manifest.json")));
}

TEST_F(RunMirrorTest, RestoresTheNewestCompleteCheckpointAndWhatElseIsMissing) {
    writeCheckpoint(kStep20, "twenty");
    open().copy();
    loseTheFolder();
    write("config.json", "{ }");
    auto mirror = open();
    EXPECT_EQ(mirror.restore(), 20);
    EXPECT_THAT(filesBelow(folder()),
                UnorderedElementsAre("config.json", "events.jsonl", "clips/step-000000010/a cat-1.mp4",
                                     kStep20 + "weights.safetensors", kStep20 + "optimizer.safetensors",
                                     kStep20 + "manifest.json", "mirror.json"));
    EXPECT_EQ(readFile(folder() / (kStep20 + "weights.safetensors")), "twenty");
    EXPECT_EQ(readFile(folder() / "config.json"), "{ }") << "the folder's own stays";
    EXPECT_FALSE(mirror.isBehind());
    EXPECT_EQ(mirror.copy(), 1) << "the config";
    EXPECT_TRUE(fs::exists(copy() / (kStep10 + "manifest.json"))) << "what never came down is not removed";
}

TEST_F(RunMirrorTest, RestoresNothingIntoAFolderWithACheckpointOrFromACopyWithoutOne) {
    EXPECT_EQ(open().restore(), std::nullopt);
    open().copy();
    writeCheckpoint(kStep10, "newer");
    EXPECT_EQ(open().restore(), std::nullopt);
    EXPECT_EQ(readFile(folder() / (kStep10 + "weights.safetensors")), "newer");
    fs::remove(copy() / (kStep10 + "manifest.json"));
    loseTheFolder();
    EXPECT_EQ(open().restore(), std::nullopt);
    EXPECT_THAT(filesBelow(folder()), ElementsAre("config.json"));
}

TEST_F(RunMirrorTest, ADownloadThatFailsLeavesNoCheckpointThatLooksComplete) {
    open().copy();
    loseTheFolder();
    auto mirror = open();
    fs::remove(copy() / (kStep10 + "optimizer.safetensors"));
    EXPECT_THAT(failureOf([&] { mirror.restore(); }), HasSubstr("There is no s3://lab/runs/"));
    EXPECT_FALSE(fs::exists(folder() / (kStep10 + "manifest.json")));
}

TEST_F(RunMirrorTest, NamesInTheBucketLeadNowhereElse) {
    open().copy();
    loseTheFolder();
    bucket.put("lab/runs/" + kId + "/clips/..%2F..%2F..%2Fescaped", "x");
    fs::create_directories(copy() / "clips");
    EXPECT_EQ(open().restore(), 10);
    EXPECT_THAT(filesBelow(workspace.path()), Not(Contains("escaped")));
}

TEST_F(RunMirrorTest, ABucketThatCannotBeReadIsNamed) {
    auto access = bucket.access();
    access.secret = "another";
    EXPECT_THAT(failureOf([&] { RunMirror(folder(), "s3://lab/runs", access); }),
                testing::AllOf(HasSubstr("Cannot read s3://lab/runs/"), HasSubstr("AWS_PROFILE")));
}

}  // namespace
}  // namespace dailies::trainer

#include "tests/core/objects/running_bucket.h"
#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Shards in a bucket and the same in a folder.
class BucketRun : public testing::Test {
protected:
    BucketRun() {
        for (int s = 0; s < 2; ++s) {
            Members members;
            for (int v = 0; v < 3; ++v) {
                const auto key = std::to_string(s) + std::to_string(v);
                members.emplace_back(key + ".mp4", videoBytes(8, 48, 48));
                members.emplace_back(key + ".txt", "clip " + key);
            }
            const auto name = std::to_string(s) + ".tar";
            bucket.put("clips/set/" + name, tarOf(members));
            writeFileAtomically(shards.path() / name, tarOf(members));
        }
    }
    static Json settings(const std::string& from) {
        return {{"data.source", "webdataset"},
                {"data.shards", {from}},
                {"data.buckets", {"4x16x16"}},
                {"data.batch_size", 4},
                {"model.patch_frames", 2},
                {"model.patch_size", 8},
                {"model.positions", "none"},
                {"optimizer.schedule", "constant"},
                {"steps", 8}};
    }

    objects::RunningBucket bucket;
    TemporaryFolder shards;
    const TrainerProcess::Variables access = {{"AWS_ACCESS_KEY_ID", bucket.access().keyId},
                                              {"AWS_SECRET_ACCESS_KEY", bucket.access().secret},
                                              {"AWS_ENDPOINT_URL", bucket.endpoint()}};
};

TEST_F(BucketRun, IsThatOfTheSameFilesAlsoAfterAResumptionAndTellsNobodyTheKey) {
    const TrainingRun files(settings(shards.path().string()));
    ASSERT_EQ(files.train(), 0) << files.output();
    auto half = settings("s3://clips/set/");
    half["steps"] = 4;
    TrainingRun run(half);
    ASSERT_EQ(run.train(access), 0) << run.output();
    bucket.fail({{"busy", 3}, {"cut", 1}});
    run.configure(settings("s3://clips/set/"));
    ASSERT_EQ(run.train(access), 0) << run.output();
    EXPECT_EQ(run.metric("loss"), files.metric("loss"));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run.path()))
        if (entry.is_regular_file()) {
            EXPECT_THAT(readFile(entry.path()), Not(HasSubstr(bucket.access().secret))) << entry.path();
        }
}

TEST_F(BucketRun, WithoutAKeyIsRefusedWithTheRemedy) {
    const TrainingRun run(settings("s3://clips/set/"));
    EXPECT_NE(run.train({{"AWS_ENDPOINT_URL", bucket.endpoint()}}), 0);
    EXPECT_THAT(run.output(), AllOf(HasSubstr("Cannot read s3://clips/set/"), HasSubstr("AWS_PROFILE")));
}

}  // namespace
}  // namespace dailies::trainer

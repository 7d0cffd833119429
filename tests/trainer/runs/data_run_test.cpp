#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Two shards with videos for two buckets, and one that is cut short.
class DataRun : public testing::Test {
protected:
    DataRun() {
        for (int s = 0; s < 2; ++s) {
            Members members;
            for (int v = 0; v < 3; ++v) {
                const auto key = std::to_string(s) + std::to_string(v);
                members.emplace_back(key + ".mp4", videoBytes(8, v == 0 ? 96 : 48, 48));
                members.emplace_back(key + ".txt", v == 0 ? "a wide one" : "a square one");
            }
            auto tar = tarOf(members);
            if (s == 1) tar.resize(tar.size() - 1024 - 1024 - 600);
            writeFileAtomically(shards.path() / (std::to_string(s) + ".tar"), tar);
        }
    }
    Json settings(bool packing) const {
        return {{"data.source", "webdataset"},
                {"data.shards", {(shards.path() / "{0..1}.tar").string()}},
                {"data.buckets", {"4x16x16", "4x16x32"}},
                {"data.batch_size", 4},
                {"data.packing", packing},
                {"data.tokens_per_step", 48},
                {"model.patch_frames", 2},
                {"model.patch_size", 8},
                {"model.positions", "none"},
                {"steps", 8}};
    }

    TemporaryFolder shards;
};

TEST_F(DataRun, TrainsOnShardsAndReportsOnThemFirst) {
    for (const bool packing : {false, true}) {
        const TrainingRun run(settings(packing));
        ASSERT_EQ(run.train(), 0) << run.output();
        EXPECT_EQ(run.metric("loss").size(), 8U);
        EXPECT_EQ(run.metric("data_wait").size(), 8U);
        const auto message = run.all<events::Message>().at(0).text;
        EXPECT_THAT(message,
                    AllOf(HasSubstr("inputs are used"), HasSubstr("bucket 4x16x32: 4 clips of 16 tokens")));
        const auto report = run.all<events::Start>().at(0).facts.at("dataset");
        EXPECT_EQ(report.at("clips_per_epoch"), 10);
        const auto health = run.all<events::Health>();
        ASSERT_FALSE(health.empty());
        EXPECT_THAT(health[0].text, AllOf(HasSubstr("1.tar"), HasSubstr("truncated")));
        EXPECT_TRUE(std::filesystem::exists(run.path() / "cache" / "shards"));
    }
}

TEST_F(DataRun, IsTheSameWithAnyWorkersAndAfterAResumption) {
    for (const bool packing : {false, true}) {
        TrainingRun whole(settings(packing)), cut(settings(packing));
        whole.configure({{"data.workers", 0}, {"optimizer.schedule", "constant"}});
        ASSERT_EQ(whole.train(), 0) << whole.output();
        cut.configure({{"data.workers", 3}, {"steps", 5}, {"optimizer.schedule", "constant"}});
        ASSERT_EQ(cut.train(), 0) << cut.output();
        cut.configure({{"data.workers", 1}, {"steps", 8}});
        ASSERT_EQ(cut.train(), 0) << cut.output();
        EXPECT_EQ(cut.metric("loss"), whole.metric("loss"));
    }
}

TEST_F(DataRun, ThatResumesOnOtherShardsTakesThemFromTheirStartAndWarns) {
    TrainingRun run(settings(false));
    run.configure({{"steps", 4}, {"data.shards", {(shards.path() / "0.tar").string()}}});
    ASSERT_EQ(run.train(), 0) << run.output();
    run.configure({{"steps", 8}, {"data.shards", {(shards.path() / "{0..1}.tar").string()}}});
    ASSERT_EQ(run.train(), 0) << run.output();
    std::vector<std::string> warnings;
    for (const auto& message : run.all<events::Message>())
        if (message.level == "warning") warnings.push_back(message.text);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], AllOf(HasSubstr("The data are others than those of the checkpoint of step 4"),
                                   HasSubstr("data.shards ["), HasSubstr("from the start of their order")));
}

TEST_F(DataRun, WithoutAUsableClipIsRefusedWithTheReport) {
    TrainingRun run(settings(false));
    run.configure({{"data.buckets", {"64x16x16"}}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.all<events::End>().at(0).reason,
                AllOf(HasSubstr("no usable clip in 2 shards"), HasSubstr("too short for every bucket")));
}

TEST_F(DataRun, IsReportedOnWithoutTraining) {
    const TrainingRun run(settings(false));
    const auto output = run.path() / "report.json";
    ASSERT_EQ(
        TrainerProcess({"data", "--config", (run.path() / "config.json").string(), "--json"}, output).wait(),
        0);
    const auto text = readFile(output);
    const auto report = Json::parse(text.substr(text.find('{')));
    EXPECT_EQ(report.at("clips_per_epoch"), 10);
    EXPECT_EQ(report.at("buckets").size(), 2U);
    EXPECT_EQ(TrainerProcess({"data", "--fast"}, output).wait(), 2);
}

}  // namespace
}  // namespace dailies::trainer

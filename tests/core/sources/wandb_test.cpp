#include "core/sources/registry.h"
#include "tests/core/exchange/tracker_files.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using exchange::WandbFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

void addItem(wandb::Record& record, const std::vector<std::string>& key, const std::string& json) {
    auto* item = record.mutable_history()->add_item();
    for (const auto& part : key) item->add_nested_key(part);
    item->set_value_json(json);
}

wandb::Record row(std::int64_t step, double loss) {
    wandb::Record record;
    addItem(record, {"train/loss"}, std::to_string(loss));
    addItem(record, {"_step"}, std::to_string(step));
    addItem(record, {"_timestamp"}, std::to_string(1'700'000'000.5 + static_cast<double>(step)));
    record.mutable_history()->mutable_step()->set_num(step);
    return record;
}

wandb::Record videoRow(std::int64_t step) {
    auto record = row(step, 0.5);
    addItem(record, {"samples/video", "_type"}, "\"video-file\"");
    addItem(record, {"samples/video", "path"},
            "\"media/videos/samples/video_" + std::to_string(step) + "_4557fb.mp4\"");
    addItem(record, {"samples/video", "sha256"}, "\"4557fb\"");
    addItem(record, {"samples/video", "width"}, "64");
    addItem(record, {"samples/video", "caption"}, "\"a cat\"");
    return record;
}

wandb::Record config(const std::string& key, const std::string& json) {
    wandb::Record record;
    auto* item = record.mutable_config()->add_update();
    item->set_key(key);
    item->set_value_json(json);
    return record;
}

wandb::Record stats(std::int64_t seconds) {
    wandb::Record record;
    record.mutable_stats()->mutable_timestamp()->set_seconds(seconds);
    auto* item = record.mutable_stats()->add_item();
    item->set_key("gpu.0.gpu");
    item->set_value_json("97.5");
    return record;
}

WandbFile aRun() {
    WandbFile file;
    file.addRun("abc123", "dreams");
    file.add(config("optimizer", "{\"lr\": 0.001, \"betas\": [0.9, 0.95]}"));
    file.add(config("_wandb", "{\"cli_version\": \"0.31.0\"}"));
    file.add(row(1, 0.5));
    file.add(stats(1'700'000'010));
    file.add(videoRow(2));
    file.addMetric("val/*", "epoch");
    file.addValues(3, {{"val/acc", 0.75}, {"epoch", 20}});
    file.addExit(3);
    return file;
}

TEST(WandbSource, ReadsARun) {
    const auto read = readWhole(wandbRuns(), aRun().bytes());
    EXPECT_EQ(sourceOf("wandb/offline-run-20260101_000000-abc123/run-abc123.wandb"), &wandbRuns());
    EXPECT_EQ(read.findings.metrics.at("train/loss")[0], (tracking::MetricPoint{1, 1'700'000'001'500, 0.5}));
    EXPECT_EQ(read.findings.metrics.at("system/gpu.0.gpu")[0],
              (tracking::MetricPoint{1, 1'700'000'010'000, 97.5}));
    EXPECT_THAT(read.steps("val/acc"), ElementsAre(20));
    EXPECT_EQ(read.findings.params.at("optimizer.lr"), "0.001");
    EXPECT_EQ(read.findings.params.at("optimizer.betas"), "[0.9,0.95]");
    EXPECT_FALSE(read.findings.params.contains("_wandb.cli_version"));
    EXPECT_EQ(read.findings.tags.at("wandb.project"), "dreams");
    ASSERT_THAT(read.findings.media, SizeIs(1));
    EXPECT_EQ(read.findings.media[0].path, "media/videos/samples/video_2_4557fb.mp4");
    EXPECT_EQ(read.findings.media[0].key, "samples/video");
    EXPECT_EQ(read.findings.media[0].caption, "a cat");
    EXPECT_EQ(read.findings.media[0].step, 2);
    EXPECT_FALSE(read.findings.metrics.contains("samples/video.width"));
    EXPECT_EQ(read.findings.end->exitCode, 3);
    EXPECT_THAT(read.findings.problems, IsEmpty());
}

TEST(WandbSource, AStepThatTheProgramLogsItselfCountsBeforeWandbsOwn) {
    WandbFile file;
    file.addValues(0, {{"loss", 0.5}, {"global_step", 900}});
    file.addValues(1, {{"loss", 0.25}, {"global_step", 901}});
    file.addValues(2, {{"other", 1}, {"step", 0.5}});
    const auto read = readWhole(wandbRuns(), file.bytes());
    EXPECT_THAT(read.steps("loss"), ElementsAre(900, 901));
    EXPECT_THAT(read.steps("other"), ElementsAre(2));
}

TEST(WandbSource, PicturesOfOneStepAreEachThere) {
    wandb::Record record;
    addItem(
        record, {"samples"},
        R"({"_type": "images/separated", "count": 2, "filenames": ["media/a.png", "media/b.png"], "captions": ["x", "y"]})");
    record.mutable_history()->mutable_step()->set_num(4);
    WandbFile file;
    file.add(record);
    const auto read = readWhole(wandbRuns(), file.bytes());
    ASSERT_THAT(read.findings.media, SizeIs(2));
    EXPECT_EQ(read.findings.media[1].path, "media/b.png");
    EXPECT_EQ(read.findings.media[1].caption, "y");
}

TEST(WandbSource, ReadsTheSameHoweverItIsCut) {
    expectSameHoweverItIsCut(wandbRuns(), aRun().bytes());
}

/// Two blocks and the beginning of a third, as a run that goes on has them.
std::string blocks() {
    auto file = aRun();
    for (int step = 4; file.bytes().size() < 70'000; ++step) file.add(row(step, step));
    return file.bytes();
}

TEST(WandbSource, RecordsThatCrossBlocksAreReadTheSameHoweverTheyAreCut) {
    const auto file = blocks();
    const auto whole = told(readWhole(wandbRuns(), file));
    for (std::size_t cut = 0; cut <= file.size();
         cut += (cut % 32'768 > 300 && cut % 32'768 < 32'400) ? 97 : 1) {
        Followed followed;
        followed.read(wandbRuns(), std::string_view(file).substr(0, cut));
        followed.read(wandbRuns(), file);
        ASSERT_EQ(told(followed), whole) << cut;
    }
}

TEST(WandbSource, DamageCostsItsBlockAndIsToldOnce) {
    auto file = blocks();
    file[10'000] ^= 1;
    file[10'500] ^= 1;
    const auto read = readWhole(wandbRuns(), file);
    EXPECT_THAT(read.findings.problems, ElementsAre(HasSubstr("damaged")));
    EXPECT_FALSE(read.cursor.stopped);
    const auto steps = read.steps("train/loss"), all = readWhole(wandbRuns(), blocks()).steps("train/loss");
    EXPECT_EQ(steps.front(), 1);
    EXPECT_EQ(steps.back(), all.back());
    EXPECT_LT(steps.size(), all.size());
    EXPECT_GT(steps.size(), all.size() / 3);
    const auto whole = told(read);
    for (std::size_t cut = 9'000; cut <= 33'200; cut += 7) {
        Followed followed;
        followed.read(wandbRuns(), std::string_view(file).substr(0, cut));
        followed.read(wandbRuns(), file);
        ASSERT_EQ(told(followed), whole) << cut;
    }
}

TEST(WandbSource, ALongRecordIsPassedOver) {
    WandbFile file;
    file.addRun("long", "p");
    file.add(config("huge", "\"" + std::string(5 << 20, 'x') + "\""));
    file.add(row(1, 0.5));
    const auto read = readWhole(wandbRuns(), file.bytes());
    EXPECT_THAT(read.findings.problems, ElementsAre(HasSubstr("4 MiB")));
    EXPECT_THAT(read.values("train/loss"), ElementsAre(0.5));
}

TEST(WandbSource, WhatIsMadeToDoHarmIsBounded) {
    EXPECT_TRUE(readWhole(wandbRuns(), "not a run file").cursor.stopped);
    const std::string header(":W&B\xE1\xBE\x00", 7);
    for (unsigned seed = 0; seed < 20; ++seed) expectBounded(wandbRuns(), header + noise(200'000, seed));
    WandbFile file;
    std::string deep;
    for (int i = 0; i < 500'000; ++i) deep += "{\"a\":";
    file.add(config("deep", deep));
    wandb::Record nested;
    auto* item = nested.mutable_config()->add_update();
    for (int i = 0; i < 100'000; ++i) item->add_nested_key("k");
    file.add(nested);
    wandb::Record many;
    for (int i = 0; i < 20'000; ++i) addItem(many, {"m" + std::to_string(i)}, "1");
    for (int i = 0; i < 5'000; ++i) file.addMetric("g" + std::to_string(i) + "*", "epoch");
    file.add(many);
    std::string members = "{\"a\": 1";
    for (int i = 300'000; i > 0; --i) members += ",\"" + std::to_string(i) + "\":1";
    file.add(config("many", members + "}"));
    expectBounded(wandbRuns(), file.bytes());
}

}  // namespace
}  // namespace dailies::sources

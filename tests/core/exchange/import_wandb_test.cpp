#include "tests/core/exchange/exchange_fixture.h"
#include "tests/core/exchange/tracker_files.h"

#include <cmath>

namespace dailies::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using WandbImport = ExchangeTest;

TEST_F(WandbImport, ARunThatWentOnInASecondFolderIsOneRun) {
    WandbFile first, second;
    first.addRun("abc123", "dreams");
    for (int step = 0; step < 3; ++step) first.addRow(step, "0.5");
    second.addRun("abc123", "dreams");
    for (int step = 3; step < 5; ++step) second.addRow(step, "0.25");
    second.addExit(0);
    write("wandb/offline-run-20260101_000000-abc123/run-abc123.wandb", first.bytes());
    EXPECT_EQ(import(place("wandb")).total().runsAdded, 1);
    EXPECT_EQ(runNamed("abc123").status, tracking::RunStatus::Killed) << "it stopped without saying so";
    write("wandb/offline-run-20260102_000000-abc123/run-abc123.wandb", second.bytes());
    const auto summary = import(place("wandb"));
    EXPECT_EQ(summary.total().runsAdded, 0);
    EXPECT_EQ(summary.total().pointsAdded, 2);
    EXPECT_THAT(steps("abc123", "loss"), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(WandbImport, RecordsThatCrossBlocksAreReadWhole) {
    WandbFile file;
    file.addRun("long", "p");
    wandb::Record config;
    auto* item = config.mutable_config()->add_update();
    item->set_key("prompt");
    item->set_value_json("\"" + std::string(100'000, 'x') + "\"");
    file.add(config);
    for (int step = 0; step < 5'000; ++step) file.addRow(step, std::to_string(step));
    import(write("run-long.wandb", file.bytes()));
    EXPECT_EQ(runNamed("long").params.at("prompt").size(), 100'000u);
    EXPECT_EQ(values("long", "loss").size(), 5'000u);
    EXPECT_EQ(values("long", "loss").back(), 4'999);
}

TEST_F(WandbImport, ACutFileGivesWhatIsWholeAndADamagedOneSaysSo) {
    WandbFile file;
    file.addRun("cut", "p");
    for (int step = 0; step < 10; ++step) file.addRow(step, "1");
    auto summary = import(write("run-cut.wandb", file.bytes().substr(0, file.bytes().size() - 5)));
    EXPECT_EQ(summary.total().pointsAdded, 9);
    EXPECT_THAT(summary.skipped.at(0).why, HasSubstr("in the middle of a record"));
    auto bytes = file.bytes();
    bytes[bytes.size() - 60] ^= 1;
    summary = import(write("run-cut.wandb", bytes));
    EXPECT_THAT(summary.skipped.at(0).why, HasSubstr("checksum"));
}

TEST_F(WandbImport, NumbersThatAreNoneAndNestedValuesComeIn) {
    WandbFile file;
    file.addRun("odd", "p");
    file.addRow(0, "NaN");
    file.addRow(1, "-Infinity");
    file.addRow(2, "{\"inner\": Infinity, \"name\": \"NaN inside\"}");
    file.addRow(3, "true");
    import(write("run-odd.wandb", file.bytes()));
    EXPECT_THAT(values("odd", "loss"), ElementsAre(testing::NanSensitiveDoubleEq(NAN), -INFINITY, 1));
    EXPECT_THAT(values("odd", "loss.inner"), ElementsAre(INFINITY));
}

TEST_F(WandbImport, AMetricsOwnStepMetricIsItsStep) {
    WandbFile file;
    file.addRun("axes", "p");
    file.addMetric("val/*", "epoch");
    file.addMetric("val/special", "sample");
    file.addMetric("half", "fraction");
    file.addValues(0, {{"loss", 1}});
    file.addValues(1, {{"loss", 2}, {"val/acc", 0.5}, {"epoch", 10}, {"half", 1}, {"fraction", 0.5}});
    file.addValues(2, {{"val/special", 7}, {"sample", 1000}});
    file.addValues(3, {{"val/acc", 0.75}, {"epoch", 20}, {"half", 2}, {"fraction", 1.5}});
    const auto summary = import(write("run-axes.wandb", file.bytes()));
    EXPECT_THAT(steps("axes", "loss"), ElementsAre(0, 1));
    EXPECT_THAT(steps("axes", "val/acc"), ElementsAre(10, 20));
    EXPECT_THAT(steps("axes", "val/special"), ElementsAre(1000)) << "its own definition before the pattern's";
    EXPECT_THAT(steps("axes", "epoch"), ElementsAre(1, 3));
    EXPECT_THAT(steps("axes", "half"), ElementsAre(1, 3)) << "a step is a whole number";
    EXPECT_THAT(summary.notes, ElementsAre(testing::AllOf(HasSubstr("half"), HasSubstr("fraction"),
                                                          HasSubstr("whole numbers"))));
}

TEST_F(WandbImport, TheReadableFilesOfOlderClientsComeInToo) {
    const std::string run = "wandb/offline-run-20200101_000000-old1/files/";
    write(run + "config.yaml",
          "_wandb:\n  value: {cli_version: 0.8.0}\nlr:\n  desc: rate\n  value: 0.001\nopt:\n  value:\n    "
          "name: adam\n");
    write(run + "wandb-history.jsonl",
          "{\"loss\": 0.5, \"_step\": 0, \"_timestamp\": 1577836800.5}\n"
          "{\"loss\": NaN, \"_step\": 10, \"_timestamp\": 1577836801.0}\n"
          "{\"loss\": 0.1, \"_st");
    write(run + "wandb-summary.json", "{\"loss\": 0.1, \"best\": 0.05}");
    write(run + "wandb-metadata.json", "{\"host\": \"node1\", \"git\": {\"commit\": \"abc\"}}");
    const auto summary = import(place("wandb"));
    EXPECT_EQ(summary.total().runsAdded, 1);
    const auto found = runNamed("old1");
    EXPECT_THAT(steps("old1", "loss"), ElementsAre(0, 10));
    EXPECT_THAT(values("old1", "best"), ElementsAre(0.05));
    EXPECT_EQ(found.params.at("lr"), "0.001");
    EXPECT_EQ(found.params.at("opt.name"), "adam");
    EXPECT_FALSE(found.params.contains("_wandb.cli_version"));
    EXPECT_EQ(found.tags.at("wandb.host"), "node1");
    EXPECT_EQ(found.startMs, 1'577'836'800'500);
    EXPECT_EQ(summary.skipped.size(), 1u) << "the torn last line";
}

}  // namespace
}  // namespace dailies::exchange

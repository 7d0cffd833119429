#include "core/sources/registry.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kLightningCsv =
    "epoch,step,train_loss,val_loss\n0,9,0.5,\n0,19,0.25,\n0,19,,0.75\n1,29,nan,\n";

TEST(LightningCsvSource, ARowHasWhatWasLoggedAtAStep) {
    EXPECT_EQ(sourceOf("lightning_logs/version_0/metrics.csv"), &lightningCsv());
    const auto read = readWhole(lightningCsv(), kLightningCsv);
    EXPECT_THAT(read.steps("train_loss"), ElementsAre(9, 19, 29));
    EXPECT_THAT(read.values("val_loss"), ElementsAre(0.75));
    EXPECT_THAT(read.values("epoch"), ElementsAre(0, 0, 0, 1));
    EXPECT_EQ(read.findings.metrics.at("val_loss")[0].timestampMs, kReadMs);
}

TEST(LightningCsvSource, ReadsTheSameHoweverItIsCut) {
    expectSameHoweverItIsCut(lightningCsv(), kLightningCsv + "1,39,\"0.125\",\r\n1,49,0.1");
}

TEST(LightningCsvSource, AFileThatWasWrittenAgainWithALongerHeaderGoesOnWhereItWas) {
    Followed followed;
    followed.read(lightningCsv(), kLightningCsv);
    const std::string longer =
        "epoch,lr,step,train_loss,val_loss\n0,,9,0.5,\n0,,19,0.25,\n0,,19,,0.75\n1,,29,nan,\n"
        "1,0.1,39,0.125,\n";
    followed.read(lightningCsv(), longer);
    followed.read(lightningCsv(), longer);
    followed.read(lightningCsv(), longer + "1,0.2,49,0.1,\n");
    EXPECT_THAT(followed.steps("train_loss"), ElementsAre(9, 19, 29, 39, 49)) << "nothing twice";
    EXPECT_THAT(followed.values("lr"), ElementsAre(0.1, 0.2));
    EXPECT_EQ(followed.findings.voidFrom, std::nullopt);
}

TEST(LightningCsvSource, AShorterFileVoidsWhatItRepeats) {
    Followed followed;
    followed.read(lightningCsv(), kLightningCsv);
    const std::string resumed = "epoch,step,train_loss,val_loss\n0,19,0.3,\n";
    followed.read(lightningCsv(), resumed);
    followed.readMs += 60'000;
    followed.read(lightningCsv(), resumed);
    followed.read(lightningCsv(), resumed);
    followed.read(lightningCsv(), resumed + "1,29,0.2,\n");
    EXPECT_THAT(followed.steps("train_loss"), ElementsAre(9, 19, 29));
    EXPECT_THAT(followed.values("train_loss"), ElementsAre(0.5, 0.3, 0.2));
    EXPECT_THAT(followed.values("val_loss"), IsEmpty());
}

TEST(LightningCsvSource, WhatIsNoTableOfStepsIsNamed) {
    EXPECT_THAT(readWhole(lightningCsv(), "a,b\n1,2\n").findings.problems,
                ElementsAre(HasSubstr("column of steps")));
    EXPECT_THAT(readWhole(lightningCsv(), std::string(70'000, 'a') + "\n").findings.problems,
                ElementsAre(HasSubstr("first line")));
    EXPECT_THAT(readWhole(lightningCsv(), "step,a\n1,2,3\n2,5\nx,1\n").values("a"), ElementsAre(5));
    expectBounded(lightningCsv(),
                  "step" + std::string(60'000, ',') + "\n1" + std::string(60'000, ',') + "\n");
}

}  // namespace
}  // namespace dailies::sources

#include "trainer/meters/step_meter.h"

#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

TEST(StepMeter, AveragesRatesAndTheWaterfallOverTheStepsBetweenTwoEvents) {
    StepMeter meter(4e12);
    meter.add({16, 1024, 1e12}, {0.1, 0.05, 0.3, 0.35, 0.1, 0.1});
    meter.add({16, 1024, 1e12}, {0.1, 0.05, 0.3, 0.35, 0.1, 0.1});
    const auto averages = meter.takeAverages();
    EXPECT_DOUBLE_EQ(averages.at("step_seconds"), 1);
    EXPECT_DOUBLE_EQ(averages.at("clips_per_second"), 16);
    EXPECT_DOUBLE_EQ(averages.at("tokens_per_second"), 1024);
    EXPECT_DOUBLE_EQ(averages.at("tflops"), 1);
    EXPECT_DOUBLE_EQ(averages.at("mfu"), 0.25);
    EXPECT_DOUBLE_EQ(averages.at("data_wait"), 0.1);
    EXPECT_DOUBLE_EQ(averages.at("time/prepare"), 0.05);
    EXPECT_DOUBLE_EQ(averages.at("time/backward"), 0.35);
    EXPECT_TRUE(meter.takeAverages().empty());
}

TEST(StepMeter, SaysNothingOfTheShareOfAnUnknownPeak) {
    StepMeter meter;
    meter.add({1, 1, 1}, {1, 0, 0, 0, 0, 0});
    EXPECT_FALSE(meter.takeAverages().contains("mfu"));
}

TEST(PhaseClock, GivesEveryMomentToThePhaseThatWasEnteredLast) {
    HostPhaseClock clock;
    clock.enter(Phase::wait);
    clock.enter(Phase::prepare);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
    const auto seconds = clock.finish();
    EXPECT_GE(seconds[1], 0.02);
    EXPECT_LT(seconds[0], 0.02);
    EXPECT_EQ(clock.finish(), PhaseSeconds{});
}

}  // namespace
}  // namespace dailies::trainer

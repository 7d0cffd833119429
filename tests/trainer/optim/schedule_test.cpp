#include "trainer/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dailies::trainer {
namespace {

config::TrainConfig scheduleConfig(const std::string& schedule) {
    config::TrainConfig config;
    config.steps = 100;
    config.optimizer.lr = 0.5;
    config.optimizer.schedule = schedule;
    config.optimizer.warmup_steps = 10;
    config.optimizer.decay_fraction = 0.2;
    return config;
}

TEST(LearningRate, RisesDuringWarmUpInEverySchedule) {
    for (const auto* schedule : {"constant", "linear", "wsd", "cosine"}) {
        EXPECT_DOUBLE_EQ(learningRate(scheduleConfig(schedule), 1), 0.05) << schedule;
        EXPECT_DOUBLE_EQ(learningRate(scheduleConfig(schedule), 5), 0.25) << schedule;
        EXPECT_NEAR(learningRate(scheduleConfig(schedule), 10), 0.5, 1e-12) << schedule;
    }
}

TEST(LearningRate, ConstantStays) {
    EXPECT_DOUBLE_EQ(learningRate(scheduleConfig("constant"), 100), 0.5);
}

TEST(LearningRate, LinearHoldsThenFallsOverTheLastShare) {
    EXPECT_DOUBLE_EQ(learningRate(scheduleConfig("linear"), 80), 0.5);
    EXPECT_DOUBLE_EQ(learningRate(scheduleConfig("linear"), 91), 0.25);
    EXPECT_DOUBLE_EQ(learningRate(scheduleConfig("linear"), 100), 0.5 / 20) << "the last step still learns";
}

TEST(LearningRate, WsdHoldsThenFallsSteeplyFirst) {
    EXPECT_DOUBLE_EQ(learningRate(scheduleConfig("wsd"), 80), 0.5);
    EXPECT_DOUBLE_EQ(learningRate(scheduleConfig("wsd"), 86), 0.5 * (1 - std::sqrt(5.0 / 20)));
    EXPECT_DOUBLE_EQ(learningRate(scheduleConfig("wsd"), 100), 0.5 * (1 - std::sqrt(19.0 / 20)));
    for (std::int64_t step = 82; step <= 100; ++step)
        EXPECT_LT(learningRate(scheduleConfig("wsd"), step), learningRate(scheduleConfig("linear"), step));
}

TEST(LearningRate, CosineIsHalfwayInTheMiddle) {
    EXPECT_NEAR(learningRate(scheduleConfig("cosine"), 56), 0.25, 1e-12);
    EXPECT_LT(learningRate(scheduleConfig("cosine"), 100), 0.001);
}

TEST(LearningRate, FallsToTheMinimumAndNotBelow) {
    for (const auto* schedule : {"linear", "wsd", "cosine"}) {
        auto config = scheduleConfig(schedule);
        config.optimizer.min_lr = 0.1;
        EXPECT_DOUBLE_EQ(learningRate(config, 1), 0.05) << "warm-up rises from 0";
        EXPECT_NEAR(learningRate(config, 11), 0.5, 1e-3) << schedule;
        EXPECT_NEAR(learningRate(config, 101), 0.1, 1e-12) << schedule << ", just after the last step";
        for (std::int64_t step = 11; step <= 100; ++step) {
            EXPECT_GE(learningRate(config, step), 0.1) << schedule << ", step " << step;
            EXPECT_LE(learningRate(config, step + 1), learningRate(config, step)) << schedule;
        }
    }
    auto config = scheduleConfig("constant");
    config.optimizer.min_lr = 0.1;
    EXPECT_DOUBLE_EQ(learningRate(config, 100), 0.5);
    config = scheduleConfig("cosine");
    config.optimizer.min_lr = 0.1;
    EXPECT_NEAR(learningRate(config, 56), 0.3, 1e-12) << "halfway between them";
}

TEST(LearningRate, WorksWithoutWarmUpAndWithoutDecay) {
    auto config = scheduleConfig("linear");
    config.optimizer.warmup_steps = 0;
    config.optimizer.decay_fraction = 0;
    EXPECT_DOUBLE_EQ(learningRate(config, 1), 0.5);
    EXPECT_DOUBLE_EQ(learningRate(config, 100), 0.5);
}

}  // namespace
}  // namespace dailies::trainer

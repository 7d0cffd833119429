#include "ui/charts/curve_scene.h"

#include "tests/ui/charts/curve_inputs.h"
#include "ui/charts/tick_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dailies::ui {
namespace {

using test::bucketed;
using test::history;
using test::input;

TEST(CurveScene, SmoothingIsTensorBoardsOwnFormula) {
    const auto raw = history(500, [](int i) { return std::sin(i * 0.1) + 0.3 * std::cos(i * 17.0); });
    CurveSettings settings;
    settings.smoothing = 0.93;
    const auto prepared = prepareCurve(input(raw), settings);
    // As in TensorBoard's line chart: last = last * w + (1 - w) * next, divided by 1 - w^n.
    double last = 0;
    for (std::size_t i = 0; i < 500; ++i) {
        last = last * 0.93 + (1 - 0.93) * raw->points[i].value;
        EXPECT_NEAR((*prepared->line)[i].mean, last / (1 - std::pow(0.93, static_cast<double>(i + 1))), 1e-9);
    }
    EXPECT_EQ((*prepared->raw)[7].mean, raw->points[7].value);
}

TEST(CurveScene, SmoothingOfBucketsFollowsThatOfTheirPoints) {
    const auto raw = history(16'000, [](int i) { return std::exp(-i * 0.0003); });
    CurveSettings settings;
    settings.smoothing = 0.999;
    const auto fine = prepareCurve(input(raw), settings);
    const auto coarse = prepareCurve(input(bucketed(raw, 16)), settings);
    for (std::size_t i = 100; i < coarse->line->size(); i += 50) {
        EXPECT_NEAR((*coarse->line)[i].mean, (*fine->line)[16 * i + 15].mean, 0.004);
    }
}

TEST(CurveScene, XIsTheTimeOrTheTimeSinceTheStart) {
    CurveSettings settings;
    settings.x.kind = XAxis::Kind::WallTime;
    CurveInput run = input(history(10, [](int i) { return i; }));
    EXPECT_EQ((*prepareCurve(run, settings)->raw)[3].x0, 1003);
    settings.x.kind = XAxis::Kind::Relative;
    EXPECT_EQ((*prepareCurve(run, settings)->raw)[3].x0, 3);
    run.startMs = 990'000;
    EXPECT_EQ((*prepareCurve(run, settings)->raw)[3].x0, 13);
    EXPECT_EQ(prepareCurve(run, settings)->stepOf(3), 3);
    EXPECT_EQ(prepareCurve(run, settings)->xOfStep(7, false), 17);
    EXPECT_TRUE(std::isnan(prepareCurve(run, settings)->xOfStep(70, false)));
}

TEST(CurveScene, XIsAnotherMetricInterpolatedBetweenItsSteps) {
    CurveInput run = input(history(100, [](int i) { return i; }));
    auto tokens = std::make_shared<History>();
    tokens->points = {{0, 0, 0}, {50, 0, 500}, {80, 0, 1100}};  // twice the tokens from step 50 on
    run.x.overview = tokens;
    CurveSettings settings;
    settings.x = {XAxis::Kind::Metric, "tokens"};
    const auto prepared = prepareCurve(run, settings);
    ASSERT_EQ(prepared->raw->size(), 81u);  // beyond step 80 the tokens are not known
    EXPECT_DOUBLE_EQ((*prepared->raw)[10].x0, 100);
    EXPECT_DOUBLE_EQ((*prepared->raw)[65].x0, 800);
    EXPECT_EQ(prepared->stepOf(65), 65);
}

TEST(CurveScene, ALogarithmicXLeavesStepZeroOutAndSaysSo) {
    CurveSettings settings;
    settings.logX = true;
    const auto prepared = prepareCurve(input(history(101, [](int i) { return i; })), settings);
    EXPECT_EQ(prepared->raw->size(), 100u);
    EXPECT_EQ(prepared->withoutPlace, 1u);
    EXPECT_DOUBLE_EQ((*prepared->raw)[99].x0, 2);
}

TEST(CurveScene, ClocksThatStepBackAreOrdered) {
    auto back = std::make_shared<History>();
    back->points = {{0, 5000, 1}, {1, 3000, 2}, {2, 9000, 3}};
    CurveSettings settings;
    settings.x.kind = XAxis::Kind::WallTime;
    const auto prepared = prepareCurve(input(back), settings);
    EXPECT_EQ((*prepared->raw)[0].mean, 2);
    EXPECT_EQ((*prepared->raw)[1].mean, 1);
    EXPECT_EQ(prepared->stepOf(0), 1);
}

TEST(CurveScene, WhatWasPreparedIsKeptUntilItsSourceChanges) {
    PreparedCache cache;
    CurveInput run = input(history(10, [](int i) { return i; }));
    const auto first = cache.get(run, {});
    EXPECT_EQ(cache.get(run, {}), first);
    run.values.overview = history(11, [](int i) { return i; });
    EXPECT_NE(cache.get(run, {}), first);
    EXPECT_EQ(cache.get(run, {})->raw->size(), 11u);
}

TEST(TickText, SaysNoMoreDigitsThanTellTicksApart) {
    EXPECT_EQ(numberText(0.25, 0.05), "0.25");
    EXPECT_EQ(numberText(0, 0.05), "0");
    EXPECT_EQ(numberText(12'000, 2'000), "12k");
    EXPECT_EQ(numberText(1'500'000, 500'000), "1.5M");
    EXPECT_EQ(numberText(2000, 500), "2000");
    EXPECT_EQ(numberText(2e-5, 1e-5), "2e-5");
    EXPECT_EQ(numberText(1.5e-4, 5e-5), "1.5e-4");
    EXPECT_EQ(numberText(5e-5, 5e-5), "5e-5") << "as its neighbours on the same axis are written";
    EXPECT_EQ(numberText(-0.1, 0.1), "-0.1");
}

TEST(TickText, TimesReadAsTimes) {
    EXPECT_EQ(spanText(90, 30), "1:30");
    EXPECT_EQ(spanText(1800, 600), "30 min");
    EXPECT_EQ(spanText(5400, 1800), "1:30 h");
    EXPECT_EQ(spanText(7200, 3600), "2 h");
    EXPECT_EQ(spanText(3 * 86400, 86400), "3 d");
}

}  // namespace
}  // namespace dailies::ui

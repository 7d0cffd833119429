#include "ui/charts/curve_renderer.h"

#include "core/base/error.h"
#include "tests/ui/charts/curve_inputs.h"
#include "ui/charts/value_box.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dailies::ui {
namespace {

using test::bucketed;
using test::history;
using test::input;
using test::sceneOf;
using test::top;
using test::topBetween;

constexpr int kMillion = 1'000'000;
constexpr int kSpike = 612'345;

HistoryPtr millionWithSpike() {
    static const HistoryPtr points =
        history(kMillion, [](int i) { return i == kSpike ? 10.0 : 1.0 + 0.1 * std::sin(i * 0.01); });
    return points;
}

int spikeColumn(const CurvePicture& picture) {
    const double x = picture.settings.logX ? std::log10(kSpike) : kSpike;
    return static_cast<int>((x - picture.x.range.minimum) / picture.x.range.length() * picture.image.width());
}

/// The spike's column reaches the upper half, where nothing else is.
void expectSpike(const CurveScene& scene) {
    const auto picture = renderCurves(scene);
    const int column = spikeColumn(picture);
    EXPECT_LT(topBetween(picture.image, column - 2, column + 2), 30);
    EXPECT_GT(topBetween(picture.image, column - 30, column - 4), 50);
}

TEST(CurveRenderer, ASpikeAmongAMillionPointsIsSeenAtEveryZoom) {
    CurveScene scene = sceneOf({input(millionWithSpike())});
    scene.cache = std::make_shared<PreparedCache>();
    expectSpike(scene);
    for (double width = 500'000; width > 100; width /= 3) {
        scene.x = Range{kSpike - width * 0.6, kSpike + width * 0.4};
        expectSpike(scene);
    }
}

TEST(CurveRenderer, SmoothingDoesNotTakeTheSpikeAway) {
    CurveScene scene = sceneOf({input(millionWithSpike())});
    scene.settings.smoothing = 0.99;
    expectSpike(scene);
}

TEST(CurveRenderer, GroupingDoesNotTakeTheSpikeAway) {
    CurveScene scene = sceneOf(
        {input(millionWithSpike(), "a", "g"), input(history(1000, [](int) { return 1.0; }), "b", "g")});
    expectSpike(scene);
}

TEST(CurveRenderer, ALogarithmicXDoesNotTakeTheSpikeAway) {
    CurveScene scene = sceneOf({input(millionWithSpike())});
    scene.settings.logX = true;
    const auto picture = renderCurves(scene);
    EXPECT_LT(topBetween(picture.image, spikeColumn(picture) - 2, spikeColumn(picture) + 2), 30);
}

TEST(CurveRenderer, ThePyramidsBucketsShowTheSpikeToo) {
    CurveScene scene = sceneOf({input(bucketed(millionWithSpike(), 256))});
    expectSpike(scene);
    scene.settings.smoothing = 0.9;
    expectSpike(scene);
}

TEST(CurveRenderer, AFinePartWithinACoarseWholeIsDrawnFinely) {
    auto detail = std::make_shared<History>();
    detail->points = {millionWithSpike()->points.begin() + 612'000,
                      millionWithSpike()->points.begin() + 613'000};
    detail->steps = tracking::StepRange{612'000, 612'999};
    CurveInput both = input(bucketed(millionWithSpike(), 65'536));
    both.values.detail = detail;
    CurveScene scene = sceneOf({both});
    scene.x = Range{612'300, 612'400};
    expectSpike(scene);
}

TEST(CurveRenderer, AxesCoverTheDataWithRoundTicks) {
    const auto picture =
        renderCurves(sceneOf({input(history(1001, [](int i) { return 0.13 + 0.74 * i / 1000; }))}));
    EXPECT_EQ(picture.x.range, (Range{0, 1000}));
    EXPECT_LE(picture.y.range.minimum, 0.13);
    EXPECT_GE(picture.y.range.maximum, 0.87);
    EXPECT_NEAR(std::remainder(picture.y.range.maximum, picture.y.step), 0, 1e-9);
}

TEST(CurveRenderer, TheEndOfAGrowingCurveMovesInSmallRoundJumps) {
    const auto end = [](int points) {
        return renderCurves(sceneOf({input(history(points, [](int i) { return i; }))})).x.range.maximum;
    };
    EXPECT_EQ(end(1003), end(1008));
    EXPECT_GE(end(1003), 1002);
    EXPECT_LE(end(1003), 1050);
}

TEST(CurveRenderer, LogarithmicAxesLeaveOutWhatHasNoLogarithmAndCountIt) {
    CurveScene scene = sceneOf({input(history(4, [](int i) {
        return std::array{0.0, 0.01, 100.0, -5.0}[static_cast<std::size_t>(i)];
    }))});
    scene.settings.logY = true;
    const auto picture = renderCurves(scene);
    EXPECT_EQ(picture.withoutPlace, 2u);
    EXPECT_LT(picture.y.range.minimum, -2);
    EXPECT_GT(picture.y.range.minimum, -3);
    EXPECT_GT(picture.y.range.maximum, 2);
}

TEST(CurveRenderer, NonFiniteValuesBreakTheLineAndLeaveAMark) {
    const double nan = std::nan("");
    const auto picture = renderCurves(sceneOf({input(history(201, [&](int i) {
        return i == 100 ? nan : i > 90 && i < 110 ? -std::numeric_limits<double>::infinity() : 0.1 * (i % 2);
    }))}));
    EXPECT_LE(top(picture.image, 99), 2);   // the mark of NaN at the upper edge
    EXPECT_GE(top(picture.image, 93), 90);  // -infinity below, and no line through the gap
    EXPECT_FALSE(std::isnan(picture.y.range.maximum));
}

TEST(CurveRenderer, OneSinglePointAndNothingAtAllAreDrawnWithoutHarm) {
    const auto one = renderCurves(sceneOf({input(history(1, [](int) { return 1.0; }))}));
    EXPECT_LT(topBetween(one.image, 95, 105), 60);
    EXPECT_EQ(renderCurves(sceneOf({})).points, 0u);
    EXPECT_EQ(renderCurves(sceneOf({input(history(0, [](int) { return 0.0; }))})).points, 0u);
    CurveScene none = sceneOf({input(history(5, [](int) { return 1.0; }))});
    none.size = {};
    EXPECT_TRUE(renderCurves(none).image.isNull());
}

TEST(CurveRenderer, OutliersAreLeftOutOnlyWhenTheyMatterAndAreCounted) {
    CurveScene scene =
        sceneOf({input(history(1000, [](int i) { return i % 300 == 7 ? 1e4 : 1 + 0.5 * std::sin(i); }))});
    scene.settings.showAll = false;
    auto picture = renderCurves(scene);
    EXPECT_LT(picture.y.range.maximum, 10);
    EXPECT_EQ(picture.leftOut.above, 4u);  // 7, 307, 607, 907
    EXPECT_EQ(picture.leftOut.below, 0u);
    EXPECT_TRUE(picture.leftOut.exact);
    scene.settings.showAll = true;
    picture = renderCurves(scene);
    EXPECT_GE(picture.y.range.maximum, 1e4);
    EXPECT_EQ(picture.leftOut.above, 0u);
    // A loss that falls to a hundredth is no outlier.
    scene = sceneOf({input(history(1000, [](int i) { return 10 / (1 + 0.01 * i); }))});
    scene.settings.showAll = false;
    EXPECT_GE(renderCurves(scene).y.range.maximum, 10);
}

TEST(CurveRenderer, ASpikeThatLeavesTheAxisIsFainterThanTheCurveButSeen) {
    CurveScene scene =
        sceneOf({input(history(1000, [](int i) { return i == 500 ? 1e4 : 1 + 0.5 * std::sin(0.3 * i); }))});
    scene.settings.showAll = false;
    const auto picture = renderCurves(scene);
    ASSERT_EQ(picture.leftOut.above, 1u);
    int spike = 0, curve = 0;
    for (int x = 95; x <= 105; ++x) {
        spike = std::max(spike, picture.image.pixelColor(x, 10).alpha());  // under the mark at the edge
        for (int y = 40; y < 100; ++y) {
            curve = std::max(curve, picture.image.pixelColor(x, y).alpha());
        }
    }
    EXPECT_GT(spike, 40);
    EXPECT_LT(spike, curve / 2);
}

TEST(CurveRenderer, ManyCurvesShowThroughButTheEmphasisedOneIsSolid) {
    std::vector<CurveInput> curves;
    for (int run = 0; run < 100; ++run) {
        curves.push_back(input(history(100, [run](int) { return run; }), "run" + std::to_string(run)));
    }
    curves[50].emphasized = true;
    CurveScene scene = sceneOf(std::move(curves));
    scene.size = {200, 1000};
    const auto picture = renderCurves(scene);
    const auto strongestAround = [&](double value) {
        const double share = (picture.y.range.maximum - value) / picture.y.range.length();
        const int middle = static_cast<int>(share * picture.image.height());
        int strongest = 0;
        for (int y = middle - 3; y <= middle + 3; ++y) {
            strongest = std::max(strongest, picture.image.pixelColor(100, y).alpha());
        }
        return strongest;
    };
    EXPECT_GT(strongestAround(50), 250);
    EXPECT_LT(strongestAround(20), 150);
    EXPECT_GT(strongestAround(20), 40);
}

TEST(CurveRenderer, YFitsWhatIsVisible) {
    CurveScene scene =
        sceneOf({input(history(1000, [](int i) { return i < 500 ? 100.0 : 1.0 + 0.001 * i; }))});
    scene.x = Range{600, 900};
    EXPECT_LT(renderCurves(scene).y.range.maximum, 5);
}

TEST(CurveRenderer, AGroupIsOneMeanAndBandAndSaysHowManyRunsReachThere) {
    CurveScene scene = sceneOf({input(history(101, [](int) { return 1.0; }), "a", "g"),
                                input(history(101, [](int) { return 3.0; }), "b", "g"),
                                input(history(51, [](int) { return 5.0; }), "c", "g")});
    const auto picture = renderCurves(scene);
    ASSERT_EQ(picture.shown.size(), 1u);
    const auto early = readingsAt(picture, 20);
    ASSERT_EQ(early.size(), 1u);
    EXPECT_DOUBLE_EQ(early[0].value, 3);
    EXPECT_EQ(early[0].runs, 3);
    EXPECT_DOUBLE_EQ(*early[0].around, 2);
    const auto late = readingsAt(picture, 80);
    EXPECT_DOUBLE_EQ(late[0].value, 2);
    EXPECT_EQ(late[0].runs, 2);
}

TEST(CurveRenderer, AHoveredRunComesForwardAndTheOthersFade) {
    CurveScene scene = sceneOf({input(history(100, [](int) { return 0.0; }), "a"),
                                input(history(100, [](int) { return 1.0; }), "b")});
    scene.hovered = "b";
    const auto picture = renderCurves(scene);
    int strongest = 0;
    for (int y = 50; y < 100; ++y) {
        strongest = std::max(strongest, picture.image.pixelColor(100, y).alpha());
    }
    EXPECT_LT(strongest, 80);
    EXPECT_GT(topBetween(picture.image, 100, 100, 200), -1);
    EXPECT_LT(topBetween(picture.image, 100, 100, 200), 50);
}

TEST(CurveRenderer, TheValueBoxShowsTheGreatestTheNearestAndHowManyMore) {
    std::vector<CurveInput> curves;
    for (int run = 0; run < 200; ++run) {
        curves.push_back(input(history(10, [run](int) { return run; }), "run" + std::to_string(run)));
    }
    const auto picture = renderCurves(sceneOf(std::move(curves)));
    const auto readings = readingsAt(picture, 5);
    ASSERT_EQ(readings.size(), 200u);
    EXPECT_EQ(readings.front().value, 199);
    const Reading* nearest = nearestReading(readings, 3.2);
    EXPECT_EQ(nearest->value, 3);
    const auto box = boxLines(readings, nearest);
    EXPECT_EQ(box.lines.size(), 8u);
    EXPECT_EQ(box.lines.back(), nearest);
    EXPECT_EQ(box.more, 192u);
}

TEST(CurveRenderer, RestartsAndCheckpointsStandWhereTheyHappened) {
    CurveInput run = input(history(1000, [](int i) { return i; }));
    RunEvents events;
    events.restarts = {{2, 400, 0}};
    events.checkpoints = {{"a", 200, "checkpoints/step-000000200", 0}, {"a", 5000, "beyond", 0}};
    run.events = std::make_shared<const RunEvents>(events);
    const auto picture = renderCurves(sceneOf({run}));
    ASSERT_EQ(picture.events.size(), 2u);
    EXPECT_EQ(picture.events[0].x, 200);
    EXPECT_EQ(picture.events[0].kind, EventTick::Kind::Checkpoint);
    EXPECT_EQ(picture.events[1].x, 400);
    EXPECT_TRUE(picture.events[1].text.contains(QStringLiteral("Attempt 2 went on from step 400")));
}

TEST(CurveRenderer, StopsWhenItIsAskedTo) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(renderCurves(sceneOf({input(history(2, [](int i) { return i; }))}), stop.get_token()),
                 Cancelled);
}

TEST(CurveRenderer, KnowsAWindowThatNoCurveReaches) {
    CurveScene scene = sceneOf({input(history(100, [](int i) { return i; }))});
    EXPECT_FALSE(renderCurves(scene).nothingInRange);
    scene.x = Range{90, 200};
    EXPECT_FALSE(renderCurves(scene).nothingInRange);
    scene.x = Range{150, 200};
    const auto beyond = renderCurves(scene);
    EXPECT_TRUE(beyond.nothingInRange);
    EXPECT_GT(beyond.points, 0U) << "there is something to zoom out to";
}

TEST(ValueBox, ItsColumnsAreHeaded) {
    const auto heads = [](const CurvePicture& picture) {
        const auto readings = readingsAt(picture, 50);
        return boxHeads(boxLines(readings, nullptr));
    };
    CurveScene scene = sceneOf({input(history(100, [](int i) { return i; }))});
    EXPECT_EQ(heads(renderCurves(scene)).value, "Value");
    EXPECT_TRUE(heads(renderCurves(scene)).aside.isEmpty());
    scene.settings.smoothing = 0.9;
    EXPECT_EQ(heads(renderCurves(scene)).value, "Smoothed");
    EXPECT_EQ(heads(renderCurves(scene)).aside, "Logged");
    const auto grouped = renderCurves(sceneOf({input(history(100, [](int i) { return i; }), "a", "g"),
                                               input(history(100, [](int i) { return 2 * i; }), "b", "g")}));
    EXPECT_EQ(heads(grouped).value, "Mean");
    EXPECT_EQ(heads(grouped).aside, "Runs");
}

}  // namespace
}  // namespace dailies::ui

#include "ui/charts/curve_renderer.h"

#include "core/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dailies::ui {
namespace {

CurveScene sceneOf(Series points) {
    CurveScene scene;
    scene.curves.push_back({"a", "run", Qt::red, std::make_shared<const Series>(std::move(points))});
    scene.size = {200, 100};
    return scene;
}

/// The uppermost row in which this column of the picture holds the curve; -1: none.
int top(const QImage& image, int x) {
    for (int y = 0; y < image.height(); ++y) {
        if (image.pixelColor(x, y).alpha() > 100) {
            return y;
        }
    }
    return -1;
}

TEST(CurveRenderer, ASpikeAmongAHundredThousandPointsIsSeen) {
    Series points;
    for (int i = 0; i < 100'000; ++i) {
        points.push_back({static_cast<double>(i), i == 50'123 ? 10.0 : 1.0});
    }
    const auto picture = renderCurves(sceneOf(points));
    EXPECT_GE(picture.values.maximum, 10);
    EXPECT_LT(top(picture.image, 100), 20);
    EXPECT_GT(top(picture.image, 50), 60);
}

TEST(CurveRenderer, AxesCoverTheDataWithRoundTicks) {
    const auto picture = renderCurves(sceneOf({{0, 0.13}, {1000, 0.87}}));
    EXPECT_EQ(picture.steps, (Range{0, 1000}));
    EXPECT_LE(picture.values.minimum, 0.13);
    EXPECT_GE(picture.values.maximum, 0.87);
    EXPECT_NEAR(std::remainder(picture.values.maximum, picture.valueTick), 0, 1e-9);
}

TEST(CurveRenderer, LogarithmicAxesLeaveOutWhatHasNoLogarithm) {
    CurveScene scene = sceneOf({{0, 0}, {1, 0.01}, {2, 100}, {3, -5}});
    scene.logarithmic = true;
    const auto picture = renderCurves(scene);
    EXPECT_DOUBLE_EQ(picture.values.minimum, 0.01);
    EXPECT_DOUBLE_EQ(picture.values.maximum, 100);
}

TEST(CurveRenderer, NonFiniteValuesBreakTheLineAndLeaveAMark) {
    const auto picture =
        renderCurves(sceneOf({{0, 0}, {50, 0.1}, {100, std::nan("")}, {150, 0.1}, {200, 0}}));
    EXPECT_LE(top(picture.image, 100), 2);  // the mark at the upper edge
    EXPECT_EQ(top(picture.image, 75), -1);  // no line through the gap
}

TEST(CurveRenderer, OneSinglePointAndNothingAtAllAreDrawnWithoutHarm) {
    EXPECT_FALSE(renderCurves(sceneOf({{5, 1}})).image.isNull());
    EXPECT_EQ(renderCurves(sceneOf({})).values, (Range{0, 1}));
    CurveScene none = sceneOf({{5, 1}});
    none.size = {};
    EXPECT_TRUE(renderCurves(none).image.isNull());
}

TEST(CurveRenderer, StopsWhenItIsAskedTo) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(renderCurves(sceneOf({{0, 1}, {1, 2}}), stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace dailies::ui

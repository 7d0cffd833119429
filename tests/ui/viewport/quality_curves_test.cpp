#include "ui/viewport/quality_curves.h"

#include "core/base/files.h"
#include "tests/core/video/numbered_frames.h"
#include "ui/theme/theme.h"
#include "ui/viewport/quality_meter.h"

#include <QSignalSpy>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::ui {
namespace {

using quality::FrameComparison;
using testing::HasSubstr;

TEST(QualityCurves, SayTheValuesUnderThePlayHead) {
    QualityCurves curves;
    curves.setFrames({{.psnr = 31.24, .ssim = 0.9412},
                      {.psnr = INFINITY,
                       .ssim = 1,
                       .referenceMotion = 2,
                       .motion = 3,
                       .referenceFlicker = 0,
                       .flicker = 0.4}},
                     8);
    EXPECT_EQ(curves.valuesText(), "PSNR 31.2 dB, SSIM 0.941, Flicker — and —, Motion — and —");
    curves.setCurrent(1);
    EXPECT_EQ(curves.valuesText(), "PSNR equal, SSIM 1.000, Flicker 0.0 and 0.4, Motion 2.0 and 3.0");
    EXPECT_EQ(curves.accessibleDescription(), curves.valuesText());
    curves.setCurrent(7);
    EXPECT_TRUE(curves.valuesText().isEmpty()) << "not measured yet";
}

TEST(QualityCurves, AClickChoosesTheFrame) {
    Theme::instance().apply(ThemeMode::Light);
    QualityCurves curves;
    curves.resize(800, 152);
    curves.setFrames(std::vector<FrameComparison>(11, FrameComparison{.psnr = 30, .ssim = 0.9}), 11);
    curves.show();
    QSignalSpy chosen(&curves, &QualityCurves::frameChosen);
    QTest::mouseClick(&curves, Qt::LeftButton, {}, {2, 40});
    QTest::mouseClick(&curves, Qt::LeftButton, {}, {795, 40});
    ASSERT_EQ(chosen.size(), 2);
    EXPECT_EQ(chosen[0][0].toInt(), 0);
    EXPECT_EQ(chosen[1][0].toInt(), 10);
}

TEST(QualityMeter, MeasuresInTheBackgroundAndDropsWhatIsNoLongerAsked) {
    const TemporaryFolder folder("meter");
    const auto clip = [&](const char* name, int first) {
        std::vector<video::Frame> frames;
        for (int n = 0; n < 20; ++n) frames.push_back(video::numberedFrame(first + n, 64, 64));
        return video::writeClip(folder.path() / name, frames, {}).string();
    };
    const std::string a = clip("a.mp4", 0), b = clip("b.mp4", 100);
    QualityMeter meter;
    meter.compare({a}, {b});
    EXPECT_FALSE(meter.isSettled());
    meter.compare({a}, {a});
    ASSERT_TRUE(QTest::qWaitFor([&] { return meter.isSettled(); }));
    ASSERT_EQ(meter.frames().size(), 20u);
    for (const FrameComparison& frame : meter.frames()) EXPECT_TRUE(std::isinf(frame.psnr));
    meter.compare({a}, {folder.path() / "none.mp4"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return meter.isSettled(); }));
    EXPECT_THAT(meter.problem().toStdString(), HasSubstr("none.mp4"));
    meter.compare({}, {});
    EXPECT_TRUE(meter.isSettled());
    EXPECT_TRUE(meter.frames().empty());
}

}  // namespace
}  // namespace dailies::ui

#include "ui/viewport/clip_viewport.h"

#include "ui/theme/theme.h"

#include <QTest>
#include <QWheelEvent>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

constexpr QSize kClip(160, 90);

QImage flat(QRgb color, QSize size = kClip) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(color);
    return image;
}

/// A viewport of twice the clips' size, read as it is painted. A is red, B is blue.
class ClipViewportTest : public testing::Test {
protected:
    ClipViewportTest() {
        Theme::instance().apply(ThemeMode::Dark);
        m_viewport.resize(320, 180);
        m_viewport.setFrames({flat(qRgb(200, 0, 0)), flat(qRgb(0, 0, 200)), {}, {}});
        m_viewport.show();
    }

    QRgb at(int x, int y) {
        EXPECT_TRUE(QTest::qWaitFor([&] { return m_viewport.isSettled(); }));
        return m_viewport.grab().toImage().pixel(x, y);
    }
    void set(const std::function<void(ViewSettings&)>& change) {
        ViewSettings settings = m_viewport.settings();
        change(settings);
        m_viewport.setSettings(settings);
    }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mousePress(&m_viewport, Qt::LeftButton, modifiers, from);
        QTest::mouseMove(&m_viewport, to);
        QTest::mouseRelease(&m_viewport, Qt::LeftButton, modifiers, to);
    }

    static constexpr QRgb kA = qRgb(200, 0, 0), kB = qRgb(0, 0, 200);
    ClipViewport m_viewport;
};

TEST_F(ClipViewportTest, WipesAtAnyPlaceAndAngle) {
    EXPECT_EQ(at(100, 120), kA);
    EXPECT_EQ(at(220, 120), kB);
    m_viewport.changeAmount(-1);
    m_viewport.changeAmount(-1);
    EXPECT_EQ(at(120, 120), kA);
    EXPECT_EQ(at(140, 120), kB) << "the line is at 40 %";
    set([](ViewSettings& s) { s.wipePosition = 0.5; });
    m_viewport.turnWipe(90);
    EXPECT_EQ(at(40, 60), kA) << "above the line";
    EXPECT_EQ(at(300, 60), kA);
    EXPECT_EQ(at(40, 120), kB);
}

TEST_F(ClipViewportTest, TheLineIsDraggedAndTurnedByTheMouse) {
    drag({160, 60}, {80, 60});
    EXPECT_NEAR(m_viewport.settings().wipePosition, 0.25, 0.01);
    EXPECT_EQ(at(70, 120), kA);
    EXPECT_EQ(at(90, 120), kB);
    set([](ViewSettings& s) { s.wipePosition = 0.5; });
    drag({160, 30}, {300, 90}, Qt::ShiftModifier);
    EXPECT_EQ(m_viewport.settings().wipeAngle % 180, 90) << "its end is now at the right";
}

TEST_F(ClipViewportTest, FlipsBetweenTheTwo) {
    m_viewport.setMode(ViewMode::Flip);
    EXPECT_EQ(at(160, 120), kA);
    m_viewport.setMode(ViewMode::Flip);
    EXPECT_EQ(at(160, 120), kB);
}

TEST_F(ClipViewportTest, ShowsTheAmplifiedDifference) {
    m_viewport.setFrames({flat(qRgb(100, 100, 100)), flat(qRgb(105, 100, 98)), {}, {}});
    m_viewport.setMode(ViewMode::Difference);
    EXPECT_EQ(at(160, 120), qRgb(20, 0, 8));
    m_viewport.changeAmount(1);
    EXPECT_EQ(at(160, 120), qRgb(40, 0, 16));
    for (int i = 0; i < 6; ++i) m_viewport.changeAmount(1);
    EXPECT_EQ(m_viewport.settings().amplification, 32) << "no more than that";
    m_viewport.setMode(ViewMode::Difference);
    EXPECT_EQ(m_viewport.settings().difference, DifferenceKind::Luma) << "the next kind";
}

TEST_F(ClipViewportTest, LaysOneOverTheOther) {
    m_viewport.setMode(ViewMode::Overlay);
    EXPECT_EQ(at(160, 120), qRgb(100, 0, 100));
    m_viewport.changeAmount(1);
    EXPECT_GT(qBlue(at(160, 120)), 110);
}

TEST_F(ClipViewportTest, TheOnionSkinShowsTheNeighbours) {
    m_viewport.setMode(ViewMode::OnionSkin);
    const QImage black = flat(qRgb(0, 0, 0)), white = flat(qRgb(255, 255, 255));
    m_viewport.setFrames({black, black, {white}, {black}});
    const QRgb earlier = at(160, 120);
    EXPECT_GT(qRed(earlier), 2 * qBlue(earlier));
}

TEST_F(ClipViewportTest, TheProbeNamesBothValues) {
    QTest::mouseMove(&m_viewport, QPoint(201, 101));
    ASSERT_TRUE(m_viewport.probe());
    EXPECT_EQ(*m_viewport.probe(), QPoint(100, 50));
    EXPECT_EQ(m_viewport.probeText(), "100, 50: A 200 0 0, B 0 0 200");
    EXPECT_THAT(m_viewport.accessibleDescription().toStdString(), testing::HasSubstr("B 0 0 200"));
}

TEST_F(ClipViewportTest, TheProbeIsMovedWithoutAMouse) {
    QImage b = flat(kB);
    b.setPixel(81, 46, qRgb(1, 2, 3));
    m_viewport.setFrames({flat(kA), b, {}, {}});
    m_viewport.toggleProbe();
    EXPECT_EQ(*m_viewport.probe(), QPoint(80, 45)) << "the middle";
    m_viewport.moveProbe(1, 1);
    EXPECT_EQ(m_viewport.probeText(), "81, 46: A 200 0 0, B 1 2 3");
    m_viewport.toggleProbe();
    EXPECT_FALSE(m_viewport.probe());
}

TEST_F(ClipViewportTest, ZoomsIntoBothAtOnce) {
    QImage a = flat(kA), b = flat(kB);
    a.setPixel(80, 45, qRgb(0, 255, 0));
    b.setPixel(80, 45, qRgb(0, 255, 0));
    m_viewport.setFrames({a, b, {}, {}});
    m_viewport.setMode(ViewMode::Flip);
    m_viewport.zoomBy(16);
    EXPECT_EQ(at(170, 100), qRgb(0, 255, 0)) << "a pixel is a square of 32 × 32";
    m_viewport.setMode(ViewMode::Flip);
    EXPECT_EQ(at(170, 100), qRgb(0, 255, 0));
    EXPECT_EQ(at(210, 100), kB);
    m_viewport.showOneToOne();
    EXPECT_EQ(at(70, 120), colors().window.rgb()) << "as small as it is, with the ground around";
    m_viewport.fit();
    EXPECT_EQ(at(4, 120), kB);
}

TEST_F(ClipViewportTest, ShowsTheOtherClipWhileOneIsMissing) {
    m_viewport.setFrames({{}, flat(kB), {}, {}});
    EXPECT_EQ(at(100, 120), kB);
}

TEST_F(ClipViewportTest, BringsAClipOfAnotherSizeToTheReferences) {
    m_viewport.setFrames({flat(kA), flat(kB, {80, 45}), {}, {}});
    m_viewport.setMode(ViewMode::Difference);
    EXPECT_EQ(at(300, 170), qRgb(255, 0, 255)) << "they cover one another";
}

}  // namespace
}  // namespace dailies::ui

#include "ui/viewport/compose.h"

#include <QLineF>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

QImage flatHalf(QRgb color, QSize size = {8, 4}) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(color);
    return image;
}

const QRect kAll(0, 0, 8, 4);

TEST(Difference, AbsoluteIsAmplifiedInEachChannel) {
    const QImage made = difference(flatHalf(qRgb(100, 100, 100)), flatHalf(qRgb(110, 95, 100)), kAll,
                                   DifferenceKind::Absolute, 4);
    EXPECT_EQ(made.size(), kAll.size());
    EXPECT_EQ(made.pixel(3, 2), qRgb(40, 20, 0));
}

TEST(Difference, SignedIsAroundMiddleGreyAndHeldToWhatAPixelShows) {
    EXPECT_EQ(
        difference(flatHalf(qRgb(100, 100, 0)), flatHalf(qRgb(110, 95, 255)), kAll, DifferenceKind::Signed, 2)
            .pixel(0, 0),
        qRgb(148, 118, 255));
    EXPECT_EQ(difference(flatHalf(qRgb(7, 8, 9)), flatHalf(qRgb(7, 8, 9)), kAll, DifferenceKind::Signed, 32)
                  .pixel(0, 0),
              qRgb(128, 128, 128));
}

TEST(Difference, OfLumaIsGreyAndKnowsNoHue) {
    // Equally bright by BT.601: 76 is a red's luma.
    EXPECT_EQ(
        difference(flatHalf(qRgb(255, 0, 0)), flatHalf(qRgb(76, 76, 76)), kAll, DifferenceKind::Luma, 32)
            .pixel(0, 0),
        qRgb(0, 0, 0));
    EXPECT_EQ(
        difference(flatHalf(qRgb(50, 50, 50)), flatHalf(qRgb(60, 60, 60)), kAll, DifferenceKind::Luma, 8)
            .pixel(0, 0),
        qRgb(80, 80, 80));
}

TEST(Difference, OfAPartIsThatPart) {
    QImage b = flatHalf(qRgb(0, 0, 0));
    b.setPixel(5, 1, qRgb(9, 0, 0));
    const QImage made = difference(flatHalf(qRgb(0, 0, 0)), b, {4, 1, 3, 2}, DifferenceKind::Absolute, 1);
    EXPECT_EQ(made.size(), QSize(3, 2));
    EXPECT_EQ(made.pixel(1, 0), qRgb(9, 0, 0));
    EXPECT_EQ(made.pixel(0, 0), qRgb(0, 0, 0));
}

TEST(Overlay, MixesByOpacity) {
    const QImage a = flatHalf(qRgb(100, 0, 200)), b = flatHalf(qRgb(200, 100, 0));
    EXPECT_EQ(overlay(a, b, kAll, 0).pixel(0, 0), qRgb(100, 0, 200));
    EXPECT_EQ(overlay(a, b, kAll, 1).pixel(0, 0), qRgb(200, 100, 0));
    EXPECT_EQ(overlay(a, b, kAll, 0.5).pixel(0, 0), qRgb(150, 50, 100));
}

TEST(OnionSkin, OfEqualFramesIsTheFrame) {
    const QImage grey = flatHalf(qRgb(120, 120, 120));
    const QRgb made = onionSkin(grey, {grey, grey}, {grey, grey}, kAll).pixel(0, 0);
    for (const int level : {qRed(made), qGreen(made), qBlue(made)}) EXPECT_NEAR(level, 120, 2);
}

TEST(OnionSkin, TintsEarlierFramesRedAndLaterOnesBlueAndFadesFartherOnes) {
    const QImage black = flatHalf(qRgb(0, 0, 0)), white = flatHalf(qRgb(255, 255, 255));
    const QRgb earlier = onionSkin(black, {white}, {black}, kAll).pixel(0, 0);
    EXPECT_GT(qRed(earlier), 2 * qBlue(earlier));
    const QRgb later = onionSkin(black, {black}, {white}, kAll).pixel(0, 0);
    EXPECT_GT(qBlue(later), 2 * qRed(later));
    const QRgb nearest = onionSkin(black, {white, black}, {}, kAll).pixel(0, 0);
    const QRgb farther = onionSkin(black, {black, white}, {}, kAll).pixel(0, 0);
    EXPECT_GT(qRed(nearest), qRed(farther));
}

TEST(Wipe, GivesAItsSideOfTheLine) {
    const QRectF frame(10, 20, 100, 50);
    EXPECT_EQ(wipePolygon(frame, 0.5, 0).boundingRect(), QRectF(10, 20, 50, 50)) << "upright: A on the left";
    EXPECT_EQ(wipePolygon(frame, 0.25, 90).boundingRect(), QRectF(10, 20, 100, 12.5)) << "level: A above";
    EXPECT_EQ(wipePolygon(frame, 1, 45).boundingRect(), frame);
    EXPECT_TRUE(wipePolygon(frame, 0, 0).boundingRect().isEmpty());
    EXPECT_NEAR(wipePolygon(frame, 0.5, 180).boundingRect().left(), 60, 1e-9)
        << "turned around: A on the right";
}

TEST(Wipe, LineGoesThroughThePointThatItWasDraggedTo) {
    const QRectF frame(0, 0, 160, 90);
    for (const int degrees : {0, 30, 45, 90, 135, 200, 315})
        for (const QPointF& point : {QPointF(40, 30), QPointF(80, 45), QPointF(100, 70)}) {
            const QLineF line = wipeLine(frame, wipePositionAt(frame, point, degrees), degrees);
            const QPointF along = line.p2() - line.p1(), from = point - line.p1();
            ASSERT_GT(line.length(), 1) << degrees;
            EXPECT_NEAR((along.x() * from.y() - along.y() * from.x()) / line.length(), 0, 1e-6) << degrees;
        }
}

}  // namespace
}  // namespace dailies::ui

#include "ui/viewport/pan_zoom.h"

#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

const QSizeF kRoom(640, 360);

/// Where a point of the picture (0 to 1) is seen.
QPointF seen(const PanZoom& place, QPointF point, QSize picture, QSizeF room = kRoom) {
    const QRectF rect = place.rectOf(picture, room);
    return {rect.left() + point.x() * rect.width(), rect.top() + point.y() * rect.height()};
}

TEST(PanZoom, FitsAtFirstInTheMiddle) {
    EXPECT_EQ(PanZoom().rectOf({1280, 720}, kRoom), QRectF(0, 0, 640, 360));
    EXPECT_EQ(PanZoom().rectOf({720, 720}, kRoom), QRectF(140, 0, 360, 360));
}

TEST(PanZoom, EnlargesSmallPicturesByAWholeFactor) {
    EXPECT_EQ(PanZoom().rectOf({64, 64}, kRoom).size(), QSizeF(320, 320));
}

TEST(PanZoom, OneToOneShowsAPixelAsAPixel) {
    PanZoom place;
    place.showOneToOne({1920, 1080}, kRoom);
    EXPECT_EQ(place.rectOf({1920, 1080}, kRoom).size(), QSizeF(1920, 1080));
    place.showOneToOne({64, 64}, kRoom);
    EXPECT_EQ(place.rectOf({64, 64}, kRoom).size(), QSizeF(64, 64))
        << "also for those that are enlarged to fit";
}

TEST(PanZoom, ZoomsAroundThePointer) {
    PanZoom place;
    const QSize picture(1280, 720);
    const QPointF pointer(100, 80), held(100 / 640.0, 80 / 360.0);
    place.zoomBy(4, pointer, picture, kRoom);
    EXPECT_NEAR(seen(place, held, picture).x(), pointer.x(), 1);
    EXPECT_NEAR(seen(place, held, picture).y(), pointer.y(), 1);
    place.zoomBy(0.01, pointer, picture, kRoom);
    EXPECT_TRUE(place.isFit()) << "no smaller than the room";
}

TEST(PanZoom, DoesNotLeaveTheRoom) {
    PanZoom place;
    const QSize picture(1280, 720);
    place.zoomBy(2, {320, 180}, picture, kRoom);
    place.moveBy({10'000, 10'000}, picture, kRoom);
    EXPECT_EQ(place.rectOf(picture, kRoom).topLeft(), QPointF(0, 0));
    place.moveBy({-10'000, 0}, picture, kRoom);
    EXPECT_EQ(place.rectOf(picture, kRoom).right(), 640);
}

TEST(PanZoom, ShowsTheSamePlaceOfPicturesAndRoomsOfOtherSizes) {
    PanZoom place;
    place.zoomBy(3, {160, 90}, {1280, 720}, kRoom);
    const QPointF point(0.3, 0.4);
    const QPointF large = seen(place, point, {1280, 720}), small = seen(place, point, {320, 180}, {320, 180});
    EXPECT_NEAR(large.x() / 640, small.x() / 320, 0.01);
    EXPECT_NEAR(large.y() / 360, small.y() / 180, 0.01);
}

}  // namespace
}  // namespace dailies::ui

#include "ui/review/frame_cache.h"

#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

constexpr std::size_t kPicture = 100 * 100 * 4;

DecodedFrame picture(const std::string& file, int frame) {
    DecodedFrame made;
    made.key = {file, frame, {100, 100}};
    made.image = QImage(100, 100, QImage::Format_RGB32);
    made.image.fill(frame);
    return made;
}

TEST(FrameCache, GivesBackWhatWasPutInByFileFrameAndSize) {
    FrameCache cache(10 * kPicture);
    cache.insert(picture("a", 1));
    ASSERT_NE(cache.find({"a", 1, {100, 100}}), nullptr);
    EXPECT_EQ(cache.find({"a", 1, {100, 100}})->image.pixel(5, 5) & 0xffffff, 1u);
    EXPECT_EQ(cache.find({"a", 2, {100, 100}}), nullptr);
    EXPECT_EQ(cache.find({"b", 1, {100, 100}}), nullptr);
    EXPECT_EQ(cache.find({"a", 1, {50, 50}}), nullptr);
}

TEST(FrameCache, StaysUnderItsLimitAndDropsWhatWasNotLookedAtForLongest) {
    FrameCache cache(4 * kPicture);
    for (int frame = 0; frame < 3; ++frame) cache.insert(picture("a", frame));
    ASSERT_NE(cache.find({"a", 0, {100, 100}}), nullptr);  // looked at: stays
    cache.insert(picture("a", 3));
    cache.insert(picture("a", 4));
    EXPECT_LE(cache.bytes(), cache.limit());
    EXPECT_NE(cache.find({"a", 0, {100, 100}}), nullptr);
    EXPECT_EQ(cache.find({"a", 1, {100, 100}}), nullptr);
    EXPECT_NE(cache.find({"a", 4, {100, 100}}), nullptr);
}

TEST(FrameCache, KeepsThePictureThatIsLargerThanItsLimit) {
    FrameCache cache(kPicture / 2);
    cache.insert(picture("a", 0));
    EXPECT_NE(cache.find({"a", 0, {100, 100}}), nullptr) << "or the wall would ask for it for ever";
}

TEST(FrameCache, ForgetsErrorsAlone) {
    FrameCache cache(10 * kPicture);
    cache.insert(picture("good", 0));
    DecodedFrame bad;
    bad.key = {"bad", 0, {100, 100}};
    bad.error = "cut short";
    cache.insert(bad);
    ASSERT_NE(cache.find(bad.key), nullptr);
    cache.forgetErrors();
    EXPECT_EQ(cache.find(bad.key), nullptr);
    EXPECT_NE(cache.find({"good", 0, {100, 100}}), nullptr);
}

}  // namespace
}  // namespace dailies::ui

#include "core/base/media_names.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dailies {
namespace {

TEST(MediaNames, GoByTheEndingInAnyCase) {
    EXPECT_TRUE(isVideoName("films/day one.MP4"));
    EXPECT_TRUE(isVideoName("0001.gif"));
    EXPECT_TRUE(isPictureName("reference.JPG"));
    for (const auto* name : {"mp4", "clip.mp4.txt", "notes.md", "", "a.png"})
        EXPECT_FALSE(isVideoName(name)) << name;
    EXPECT_FALSE(isPictureName("clip.mp4"));
}

TEST(MediaNames, EveryEndingThatIsNamedIsTaken) {
    EXPECT_TRUE(std::ranges::is_sorted(videoEndings()));
    for (const auto ending : videoEndings()) EXPECT_TRUE(isVideoName("x" + std::string(ending))) << ending;
}

}  // namespace
}  // namespace dailies

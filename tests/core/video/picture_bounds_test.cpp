#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "core/video/webp.h"
#include "tests/core/video/numbered_frames.h"

#include <gtest/gtest.h>

// Linked with guarded_memory.cpp: a touch beyond a picture's last byte ends the program.

namespace dailies::video {
namespace {

/// A picture whose bytes end right before the guard: their number is a multiple of 16.
Frame guardedPicture(int width) {
    return numberedFrame(5, width, 16);
}

TEST(PictureBounds, NothingIsReadBeyondAPictureThatIsWritten) {
    const TemporaryFolder folder;
    for (int width = 44; width <= 108; width += 2) {
        const auto file = writeClip(folder.path() / "clip.mp4", {guardedPicture(width)}, {});
        EXPECT_EQ(shownNumber(ClipReader(file).frame(0)), 5) << width;
        EXPECT_TRUE(encodeWebp(guardedPicture(width))) << width;
    }
}

TEST(PictureBounds, NothingIsWrittenBeyondAPictureThatIsRead) {
    const TemporaryFolder folder;
    const auto file = writeClip(folder.path() / "clip.mp4", {numberedFrame(5, 96, 64)}, {});
    ClipReader reader(file);
    for (int width = 43; width <= 200; ++width) {
        EXPECT_EQ(shownNumber(reader.frame(0, width, 32)), 5) << width;
        std::vector<std::uint8_t> pixels(std::size_t{4} * width * 16);
        PixelBuffer buffer{pixels.data(), width, 16, std::ptrdiff_t{4} * width, PixelBuffer::Layout::Rgb32};
        reader.drawFrame(0, buffer);
        buffer.averaged = true;
        reader.drawFrame(0, buffer);
    }
}

}  // namespace
}  // namespace dailies::video

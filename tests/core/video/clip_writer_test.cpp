#include "core/video/clip_writer.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::video {
namespace {

class WritingClips : public testing::Test {
protected:
    std::filesystem::path file(const char* name) const { return m_folder.path() / name; }

    std::vector<std::string> filesLeft() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
            names.push_back(entry.path().filename().string());
        return names;
    }

    TemporaryFolder m_folder;
};

TEST_F(WritingClips, KeepsEveryFrameItsNumberAndItsRate) {
    for (const int count : {1, 2, 8, 48}) {
        const auto written = writeClip(file("clip.mp4"), numberedFrames(count), {.fps = 12});
        EXPECT_EQ(written, file("clip.mp4"));
        ClipReader reader(written);
        EXPECT_EQ(reader.info(),
                  (ClipInfo{.width = 64, .height = 48, .frames = count, .fps = 12, .codec = "h264"}));
        for (int n = 0; n < count; ++n) ASSERT_EQ(shownNumber(reader.frame(n)), n);
    }
    EXPECT_THAT(filesLeft(), testing::ElementsAre("clip.mp4"));
}

TEST_F(WritingClips, KeepsColours) {
    for (const int size :
         {32, 640}) {  // below and above the size at which untagged video changes its colour matrix
        Frame red{size, size, std::vector<std::uint8_t>(std::size_t{3} * size * size)};
        for (std::size_t i = 0; i < red.rgb.size(); i += 3)
            red.rgb[i] = 220, red.rgb[i + 1] = 40, red.rgb[i + 2] = 90;
        for (const bool compressed : {true, false}) {
            const auto path = file(compressed ? "a.mp4" : "a.y4m");
            writeClip(path, {red, red}, {.crf = 10});
            const Frame read = ClipReader(path).frame(1);
            const auto* pixel = &read.rgb[3 * (static_cast<std::size_t>(size) * size / 2 + size / 2)];
            EXPECT_NEAR(pixel[0], 220, 4) << size << compressed;
            EXPECT_NEAR(pixel[1], 40, 4) << size << compressed;
            EXPECT_NEAR(pixel[2], 90, 4) << size << compressed;
        }
    }
}

TEST_F(WritingClips, EnlargesSmallClipsSoThatPixelsKeepTheirColours) {
    Frame checks{8, 8, {}};
    for (int i = 0; i < 64; ++i) {
        const bool odd = (i / 8 + i) % 2;
        checks.rgb.insert(checks.rgb.end(), {odd ? std::uint8_t{255} : std::uint8_t{0}, 0,
                                             odd ? std::uint8_t{0} : std::uint8_t{255}});
    }
    writeClip(file("a.mp4"), {checks}, {.crf = 10, .scale = 8});
    const Frame read = ClipReader(file("a.mp4")).frame(0);
    ASSERT_EQ(read.width, 64);
    for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 8; ++column)
            ASSERT_EQ(colourAt(read, column, 8, row, 8), (row + column) % 2 ? "#ff0000" : "#0000ff");
}

TEST_F(WritingClips, WritesY4mThatEveryFfmpegReads) {
    writeClip(file("a.y4m"), numberedFrames(5, 20, 10), {.fps = 23.976, .scale = 2});
    ClipReader reader(file("a.y4m"));
    EXPECT_EQ(reader.info().width, 40);
    EXPECT_NEAR(reader.info().fps, 23.976, 0.001);
    ASSERT_EQ(reader.info().frames, 5);
    for (int n = 0; n < 5; ++n) EXPECT_EQ(shownNumber(reader.frame(n)), n);
}

TEST_F(WritingClips, RefusesWhatCannotBeAClipAndLeavesNothingBehind) {
    using testing::HasSubstr;
    const auto messageOf = [&](const std::vector<Frame>& frames, ClipEncoding encoding) -> std::string {
        try {
            writeClip(file("bad.mp4"), frames, encoding);
        } catch (const Error& error) {
            return error.full();
        }
        return "no error";
    };
    EXPECT_THAT(messageOf({}, {}), HasSubstr("no frames"));
    EXPECT_THAT(messageOf({numberedFrame(0, 33, 33)}, {}), HasSubstr("even"));
    EXPECT_EQ(messageOf({numberedFrame(0, 33, 33)}, {.scale = 2}), "no error");
    std::filesystem::remove(file("bad.mp4"));
    EXPECT_THAT(messageOf({numberedFrame(0, 32, 32), numberedFrame(0, 34, 32)}, {}),
                HasSubstr("frame 1 is 34x32"));
    EXPECT_THAT(messageOf({Frame{32, 32, {1, 2, 3}}}, {}), HasSubstr("3 bytes"));
    EXPECT_THAT(messageOf({numberedFrame(0)}, {.fps = 0}), HasSubstr("positive"));
    EXPECT_THAT(messageOf({numberedFrame(0)}, {.scale = 0}), HasSubstr("scale"));
    EXPECT_THAT(filesLeft(), testing::IsEmpty());
}

TEST_F(WritingClips, KeepsTheOldClipWhenTheNewOneCannotBeWritten) {
    std::filesystem::create_directory(file("folder.mp4"));  // a rename onto a folder fails, also for root
    EXPECT_THROW(writeClip(file("folder.mp4"), numberedFrames(2), {}), Error);
    EXPECT_THAT(filesLeft(), testing::ElementsAre("folder.mp4"));
}

TEST_F(WritingClips, OfAnyEvenWidthAreReadWithoutAByteBeyondTheCanvas) {
    constexpr std::uint8_t kGuard = 0xab;
    constexpr std::size_t kGuards = 256;
    for (const int width : {2, 34, 364, 366, 370}) {
        writeClip(file("clip.mp4"),
                  {Frame{width, 48, std::vector<std::uint8_t>(std::size_t{3} * width * 48)}}, {});
        ClipReader reader(file("clip.mp4"));
        for (const int shown : {width, width / 2, width + 6}) {
            for (const auto layout : {PixelBuffer::Layout::Rgb24, PixelBuffer::Layout::Rgb32}) {
                const std::ptrdiff_t row =
                    std::ptrdiff_t{shown} * (layout == PixelBuffer::Layout::Rgb24 ? 3 : 4);
                std::vector<std::uint8_t> memory(static_cast<std::size_t>(row) * 48 + kGuards, kGuard);
                reader.drawFrame(0, {memory.data(), shown, 48, row, layout});
                for (std::size_t i = memory.size() - kGuards; i < memory.size(); ++i)
                    ASSERT_EQ(memory[i], kGuard) << width << " as " << shown;
            }
        }
    }
}

TEST_F(WritingClips, TakesFramesOneByOneAndLeavesNothingOfAClipThatIsGivenUp) {
    {
        ClipWriter writer(file("clip.mp4"), {.fps = 10});
        for (int n = 0; n < 300; ++n) writer.add(numberedFrame(n % 256));
        EXPECT_THAT(filesLeft(), testing::IsEmpty()) << "whole or absent";
        EXPECT_EQ(writer.finish(), file("clip.mp4"));
    }
    ClipReader reader(file("clip.mp4"));
    ASSERT_EQ(reader.info().frames, 300);
    for (const int n : {0, 99, 255}) EXPECT_EQ(shownNumber(reader.frame(n)), n);
    {
        ClipWriter givenUp(file("other.mp4"), {});
        givenUp.add(numberedFrame(1));
    }
    EXPECT_THAT(filesLeft(), testing::ElementsAre("clip.mp4"));
}

}  // namespace
}  // namespace dailies::video

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_file.h"

#include <gtest/gtest.h>

namespace dailies::video {
namespace {

TEST(WithoutFfmpeg, ClipsAreWrittenAsY4mUnderTheirOwnName) {
    const TemporaryFolder folder;
    const Frame grey{4, 2, std::vector<std::uint8_t>(24, 128)};
    const auto written = writeClip(folder.path() / "clip.mp4", {grey, grey}, {.fps = 8});
    EXPECT_EQ(written, folder.path() / "clip.y4m");
    const std::string bytes = readFile(written);
    EXPECT_EQ(bytes.substr(0, bytes.find('\n')), "YUV4MPEG2 W4 H2 F8000:1000 Ip A1:1 C444");
    const std::size_t header = bytes.find('\n') + 1;
    EXPECT_EQ(bytes.size(), header + 2 * (6 + 3 * 8)) << "two frames of three full planes";
    EXPECT_EQ(static_cast<unsigned char>(bytes.back()), 128) << "grey has no colour difference";
}

TEST(WithoutFfmpeg, ReadingSaysWhatIsMissing) {
    try {
        ClipReader reader("clip.mp4");
        FAIL() << "there is nothing to read it with";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("without FFmpeg"), std::string::npos);
        EXPECT_NE(error.remedy().find("Install"), std::string::npos);
    }
}

}  // namespace
}  // namespace dailies::video

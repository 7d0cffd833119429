#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "core/video/clip_timing.h"
#include "tests/core/video/numbered_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <sys/resource.h>

// Thousands of damaged videos of every container that people bring: each is read or refused with an `Error`,
// in bounded time and memory. Meant for the sanitizers, and seconds long without them.

namespace dailies::video {
namespace {

constexpr int kFuzzedFrames = 12;
constexpr int kRounds = 300;                          // of each container
constexpr auto kPatience = std::chrono::seconds(20);  // with one file; they take milliseconds
constexpr std::int64_t kMaxKilobytes = 2 << 20;       // at the peak, of all that was read

struct Seed {
    const char* file;
    const char* arguments;  ///< of the ffmpeg program that makes it

    friend void PrintTo(const Seed& seed, std::ostream* out) { *out << seed.file; }
};

const Seed kSeeds[] = {
    {"h264.mp4", "-c:v libx264 -g 4 -bf 2 -movflags +faststart"},
    {"fragmented.mp4", "-c:v libx264 -g 4 -movflags frag_keyframe+empty_moov"},
    {"mpeg4.avi", "-c:v mpeg4 -g 4 -bf 1"},
    {"h264.mkv", "-c:v libx264 -g 4 -bf 2"},
    {"vp8.webm", "-c:v libvpx -g 4 -b:v 200k"},
    {"h264.ts", "-c:v libx264 -g 4 -bf 2 -f mpegts"},
    {"ffv1.mkv", "-c:v ffv1"},
    {"alpha.mov", "-c:v png -pix_fmt rgba"},
    {"raw.y4m", "-pix_fmt yuv420p"},
    {"moving.gif", ""},
    {"picture.webp", "-c:v libwebp -frames:v 1"},
    {"picture.png", "-frames:v 1"},
};

/// One to four random injuries: bits flipped, bytes replaced, pieces cut out, doubled or moved, the end cut
/// off, and numbers of one to eight bytes replaced by those that parsers trip over. Headers are hit more
/// often than pictures.
class Injuries {
public:
    explicit Injuries(unsigned seed) : m_random(seed) {}

    std::string of(std::string bytes) {
        for (unsigned left = 1 + below(4); left > 0 && bytes.size() > 8; --left) injure(bytes);
        return bytes;
    }

private:
    std::size_t below(std::size_t limit) { return m_random() % limit; }

    /// Half of them among the first or last 600 bytes, where containers keep their tables.
    std::size_t place(const std::string& bytes) {
        const std::size_t edge = std::min<std::size_t>(bytes.size(), 600);
        switch (below(4)) {
            case 0:
                return below(edge);
            case 1:
                return bytes.size() - 1 - below(edge);
            default:
                return below(bytes.size());
        }
    }

    void injure(std::string& bytes) {
        const auto at = place(bytes);
        const auto length = 1 + below(std::min<std::size_t>(bytes.size() - at, 48));
        switch (below(7)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 << below(8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(m_random());
                break;
            case 2:
                bytes.erase(at, length);
                break;
            case 3:
                bytes.insert(at, bytes.substr(at, length));
                break;
            case 4:
                bytes.replace(at, length, bytes.substr(below(bytes.size()), length));
                break;
            case 5:
                bytes.resize(at);
                break;
            default:
                replaceNumber(bytes, at);
        }
    }

    void replaceNumber(std::string& bytes, std::size_t at) {
        static const std::int64_t kNumbers[] = {0,         -1,        1,          0x7f,         0x80,
                                                0x7fff,    0x8000,    0x7fffffff, 0x80000000LL, 0xfffffff0LL,
                                                INT64_MAX, INT64_MIN, 65535,      16384};
        const auto number = static_cast<std::uint64_t>(kNumbers[below(std::size(kNumbers))]);
        const std::size_t width = std::size_t{1} << below(4);
        for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
            bytes[at + i] = static_cast<char>(number >> 8 * (width - 1 - i));
    }

    std::mt19937 m_random;
};

/// Reads as the wall does: all that the file says of itself, and frames to and fro in several sizes.
/// Returns how many came.
int watch(const std::filesystem::path& file) {
    int shown = 0;
    ClipReader reader(file);
    const ClipInfo info = reader.info();
    EXPECT_GT(info.frames, 0);
    EXPECT_GT(info.width, 0);
    EXPECT_GT(info.height, 0);
    EXPECT_TRUE(std::isfinite(info.fps));
    const auto timing = timingOf(reader);
    EXPECT_EQ(timing.frames(), info.frames);
    EXPECT_GE(timing.frameAt(1), 0);
    EXPECT_LT(timing.frameAt(1), info.frames);
    const int last = info.frames - 1;
    for (const int n : {0, last, last / 2, std::min(last / 2 + 1, last), 0}) {
        try {
            const bool ownSize = n == 0 && info.width <= 4096 && info.height <= 4096;
            EXPECT_FALSE((ownSize ? reader.frame(n) : reader.frame(n, 96, 54)).empty());
            ++shown;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(file.filename().string()), std::string::npos)
                << error.what();
        }
    }
    return shown;
}

std::int64_t peakKilobytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

class FuzzedClip : public testing::TestWithParam<Seed> {};

TEST_P(FuzzedClip, IsReadOrRefusedInBoundedTimeAndMemory) {
    const TemporaryFolder folder;
    const auto whole = folder.path() / GetParam().file;
    makeWithFfmpeg(whole, numberedFrames(kFuzzedFrames), GetParam().arguments);
    const std::string bytes = readFile(whole);
    EXPECT_GT(watch(whole), 0);
    const auto damaged = folder.path() / (std::string("damaged-") + GetParam().file);
    Injuries injuries(7);
    int shown = 0, refused = 0;
    for (int round = 0; round < kRounds; ++round) {
        std::filesystem::remove(damaged);  // spares the wait for the disk that overwriting has
        std::ofstream(damaged, std::ios::binary) << injuries.of(bytes);
        const auto begin = std::chrono::steady_clock::now();
        try {
            shown += watch(damaged);
        } catch (const Error& error) {
            ++refused;
            EXPECT_NE(std::string(error.what()).find(damaged.filename().string()), std::string::npos)
                << error.what();
        }
        ASSERT_LT(std::chrono::steady_clock::now() - begin, kPatience) << "round " << round;
        ASSERT_LT(peakKilobytes(), kMaxKilobytes) << "round " << round;
    }
    EXPECT_GT(shown, 0) << "some damage is small";
    EXPECT_LT(refused, kRounds);
    RecordProperty("shown", shown);
    RecordProperty("refused", refused);
    RecordProperty("peak_kilobytes", static_cast<int>(peakKilobytes()));
}

INSTANTIATE_TEST_SUITE_P(Containers, FuzzedClip, testing::ValuesIn(kSeeds), [](const auto& parameter) {
    std::string name = parameter.param.file;
    std::ranges::replace(name, '.', '_');
    return name;
});

}  // namespace
}  // namespace dailies::video

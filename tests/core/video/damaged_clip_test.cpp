#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"

#include <gtest/gtest.h>

#include <random>

namespace dailies::video {
namespace {

constexpr int kDamagedFrames = 40;

struct Outcome {
    int frames = 0;   ///< that the file is said to hold
    int damaged = 0;  ///< of these, that gave an error
    std::vector<int> numbers;
};

/// Reads what can be read; every failure must be an `Error` that names the file.
Outcome readAll(const std::filesystem::path& file) {
    Outcome outcome;
    try {
        ClipReader reader(file);
        outcome.frames = reader.info().frames;
        for (int n = 0; n < outcome.frames; ++n) {
            try {
                outcome.numbers.push_back(shownNumber(reader.frame(n)));
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find(file.filename().string()), std::string::npos)
                    << error.what();
                ++outcome.damaged;
            }
        }
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(file.filename().string()), std::string::npos)
            << error.what();
    }
    return outcome;
}

class DamagedClip : public testing::Test {
protected:
    std::string clipBytes(const std::string& arguments, const char* name = "whole.mp4") {
        const auto file = m_folder.path() / name;
        makeWithFfmpeg(file, numberedFrames(kDamagedFrames), arguments);
        return readFile(file);
    }

    std::filesystem::path fileOf(const std::string& bytes, const char* name = "damaged.mp4") {
        const auto file = m_folder.path() / name;
        writeFileAtomically(file, bytes);
        return file;
    }

    TemporaryFolder m_folder;
};

TEST_F(DamagedClip, CutShortAnywhereGivesItsWholeFramesOrAnError) {
    const std::string whole = clipBytes("-c:v libx264 -g 8 -bf 0 -movflags +faststart");
    int readable = 0;
    for (std::size_t size = 0; size < whole.size(); size += whole.size() / 150 + 1) {
        const Outcome outcome = readAll(fileOf(whole.substr(0, size)));
        EXPECT_EQ(outcome.damaged, 0) << size << " bytes";
        for (std::size_t n = 0; n < outcome.numbers.size(); ++n)
            ASSERT_EQ(outcome.numbers[n], static_cast<int>(n)) << size << " bytes";
        readable = std::max(readable, outcome.frames);
    }
    EXPECT_GT(readable, kDamagedFrames / 2)
        << "a clip that lacks its last bytes still shows most of its frames";
}

TEST_F(DamagedClip, WithTheIndexAtItsEndIsSaidToBeCutShort) {
    const std::string whole = clipBytes("-c:v libx264 -g 8");
    const auto file = fileOf(whole.substr(0, whole.size() / 2));
    try {
        ClipReader reader(file);
        FAIL() << "an MP4 without its index cannot be read";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("truncated"), std::string::npos) << error.what();
        EXPECT_FALSE(error.remedy().empty());
    }
}

TEST_F(DamagedClip, GrowingFileShowsMoreFramesEachTimeItIsOpened) {
    const std::string whole = clipBytes("-c:v libx264 -g 8 -bf 0 -f matroska", "whole.mkv");
    const auto file = fileOf(whole.substr(0, whole.size() * 2 / 3), "growing.mkv");
    ClipReader early(file);
    const int before = early.info().frames;
    ASSERT_GT(before, 0);
    ASSERT_LT(before, kDamagedFrames);

    fileOf(whole, "growing.mkv");
    EXPECT_EQ(ClipReader(file).info().frames, kDamagedFrames);
    EXPECT_EQ(early.info().frames, before) << "a reader keeps to what there was";
    EXPECT_EQ(shownNumber(early.frame(before - 1)), before - 1);
}

TEST_F(DamagedClip, FlippedBytesNeverCrash) {
    const std::string whole = clipBytes("-c:v libx264 -g 8 -bf 2 -movflags +faststart");
    std::mt19937 random(11);
    for (int round = 0; round < 120; ++round) {
        std::string damaged = whole;
        for (int i = 0; i < 1 + round / 10; ++i)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        readAll(fileOf(damaged));
    }
}

TEST_F(DamagedClip, DamageInOneGroupLeavesTheOthersReadable) {
    const std::string whole =
        clipBytes("-c:v libx264 -g 10 -bf 0 -x264-params scenecut=0 -f mpegts", "whole.ts");
    std::string damaged = whole;
    const std::size_t middle = damaged.size() / 2;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(middle), 188 * 3, '\x47');
    const Outcome outcome = readAll(fileOf(damaged, "damaged.ts"));
    ASSERT_GT(outcome.frames, kDamagedFrames / 2);
    EXPECT_EQ(outcome.numbers.front(), 0);
    EXPECT_EQ(outcome.numbers.back(), kDamagedFrames - 1);
}

}  // namespace
}  // namespace dailies::video

#include "core/quality/clip_checks.h"

#include "core/base/files.h"
#include "tests/core/quality/painted_picture.h"
#include "tests/support/demo_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>

namespace dailies::quality {

void PrintTo(const Finding& finding, std::ostream* out) {
    *out << toText(finding.check) << ": " << finding.text;
}

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kFrames = 24;
constexpr double kFps = 8;

using Paint = std::function<PaintedPicture(int frame)>;

std::vector<Finding> findingsOf(const Paint& paint, int frames = kFrames, double fps = kFps) {
    ClipChecks checks(frames, fps);
    for (int n = 0; n < frames; ++n) checks.add(paint(n).view());
    return checks.findings();
}

std::vector<Check> checksOf(const std::vector<Finding>& findings) {
    std::vector<Check> checks;
    for (const Finding& finding : findings) checks.push_back(finding.check);
    return checks;
}

/// What a perfect model makes of a prompt, enlarged as the trainer's clips are.
PaintedPicture shapes(int frame, const std::string& prompt = "red square right", double quality = 1) {
    return pictureOf(video::Frame{32, 32, test::shapePicture(prompt, frame, kFrames, 32, quality, 5)}, 8);
}

/// Each pixel by itself, the same function of its level in all channels.
PaintedPicture changed(PaintedPicture picture, const std::function<int(int x, int y, int level)>& change) {
    for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x) {
            auto& pixel = picture.pixels[static_cast<std::size_t>(y) * picture.width + x];
            const auto channel = [&](int level) { return std::clamp(change(x, y, level), 0, 255); };
            pixel = rgb(channel(redOf(pixel)), channel(greenOf(pixel)), channel(blueOf(pixel)));
        }
    return picture;
}

/// A camera that moves over soft hills of brightness.
PaintedPicture landscape(int frame, double speed = 3) {
    return painted(128, 96, [=](int x, int y) {
        const double place = x + speed * frame;
        const double level =
            120 + 50 * std::sin(place / 17) + 35 * std::sin(y / 11.0 + place / 29) + 8 * hashed(x, y, frame);
        return rgb(static_cast<int>(level), static_cast<int>(level * 0.9), static_cast<int>(level * 0.7));
    });
}

PaintedPicture noisePicture(int frame, int grain, int height = 256) {
    return painted(256, height, [=](int x, int y) {
        return rgb(static_cast<int>(255 * hashed(x / grain, y / grain, 3 * frame)),
                   static_cast<int>(255 * hashed(x / grain, y / grain, 3 * frame + 1)),
                   static_cast<int>(255 * hashed(x / grain, y / grain, 3 * frame + 2)));
    });
}

// -- no false alarm

TEST(Checks, FindNothingInTheTrainersMovingShapes) {
    for (const char* prompt : {"red square right", "blue circle down", "green triangle left",
                               "white circle up", "yellow square down", "magenta triangle right"})
        EXPECT_THAT(findingsOf([&](int n) { return shapes(n, prompt); }), IsEmpty()) << prompt;
}

TEST(Checks, FindNothingInShapesThatALearningModelMakesABitNoisy) {
    EXPECT_THAT(findingsOf([](int n) { return shapes(n, "red square right", 0.92); }), IsEmpty());
}

TEST(Checks, FindNothingInACameraThatMovesAndInAFadeIn) {
    EXPECT_THAT(findingsOf([](int n) { return landscape(n); }), IsEmpty());
    EXPECT_THAT(findingsOf([](int n) {
                    return changed(landscape(n),
                                   [n](int, int, int level) { return level * (12 + n) / (12 + kFrames); });
                }),
                IsEmpty());
}

TEST(Checks, FindNothingInAnAnimationThatHoldsEachDrawingForTwoFrames) {
    EXPECT_THAT(findingsOf([](int n) { return landscape(n / 2, 6); }, kFrames, 24), IsEmpty());
}

TEST(Checks, FindNothingInOneSinglePicture) {
    EXPECT_THAT(findingsOf([](int n) { return shapes(n); }, 1), IsEmpty());
}

TEST(Checks, PicturesOfTwoSizesAreNoClip) {
    ClipChecks checks(2, kFps);
    checks.add(noisePicture(0, 1).view());
    EXPECT_THROW(checks.add(noisePicture(1, 1, 192).view()), std::invalid_argument);
}

// -- clips made to fail

TEST(Checks, NoiseIsFoundAtTheGrainOfPixelsAndOfEnlargedOnes) {
    for (const int grain : {1, 8}) {
        const auto findings = findingsOf([=](int n) { return noisePicture(n, grain); });
        ASSERT_THAT(checksOf(findings), ElementsAre(Check::Noise)) << grain;
        EXPECT_EQ(findings[0].severity, Severity::Failure);
        EXPECT_EQ(findings[0].firstFrame, 0);
        EXPECT_EQ(findings[0].lastFrame, kFrames - 1);
    }
}

TEST(Checks, NoiseIsFoundWhereItBegins) {
    const auto findings = findingsOf(
        [](int n) { return n < 14 ? pictureOf(frameOf(landscape(n)), 2) : noisePicture(n, 4, 192); });
    const auto noise =
        std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.check == Check::Noise; });
    ASSERT_NE(noise, findings.end());
    EXPECT_EQ(noise->firstFrame, 14);
    EXPECT_EQ(noise->severity, Severity::Warning);
    EXPECT_EQ(noise->text, "Nothing but noise in frames 15 to 24.");
}

TEST(Checks, ABlackClipIsBlackAndNotFrozenToo) {
    const auto findings = findingsOf([](int) { return painted(64, 64, [](int, int) { return grey(3); }); });
    ASSERT_THAT(checksOf(findings), ElementsAre(Check::Black));
    EXPECT_EQ(findings[0].severity, Severity::Failure);
}

TEST(Checks, ASingleBlackFrameIsAWarningWithItsNumber) {
    const auto findings = findingsOf(
        [](int n) { return n == 9 ? changed(landscape(n), [](int, int, int) { return 0; }) : landscape(n); });
    const auto black =
        std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.check == Check::Black; });
    ASSERT_NE(black, findings.end());
    EXPECT_EQ(black->firstFrame, 9);
    EXPECT_EQ(black->severity, Severity::Warning);
    EXPECT_EQ(black->text, "The picture is black in frame 10.");
}

TEST(Checks, OneFlatColourIsWhatNaNsBecome) {
    EXPECT_THAT(checksOf(findingsOf([](int) { return painted(64, 64, [](int, int) { return grey(128); }); })),
                ElementsAre(Check::Flat));
}

TEST(Checks, BlownOutAndOverdrivenColoursAreSaturated) {
    EXPECT_THAT(checksOf(findingsOf([](int) { return painted(64, 64, [](int, int) { return grey(255); }); })),
                ElementsAre(Check::Saturated));
    const auto overdriven = findingsOf([](int n) {
        return painted(128, 96, [n](int x, int y) {
            const auto channel = [&](double phase) {
                return static_cast<int>(
                    std::clamp(128 + 900 * std::sin((x + 2 * n) / 23.0 + y / 31.0 + phase), 0.0, 255.0));
            };
            return rgb(channel(0), channel(2), channel(4));
        });
    });
    ASSERT_THAT(checksOf(overdriven), testing::Contains(Check::Saturated));
}

TEST(Checks, AFrozenEndIsFoundFromItsFirstFrame) {
    const auto findings = findingsOf([](int n) { return shapes(std::min(n, 12)); });
    ASSERT_THAT(checksOf(findings), ElementsAre(Check::Frozen));
    EXPECT_EQ(findings[0].firstFrame, 12);
    EXPECT_EQ(findings[0].lastFrame, kFrames - 1);
    EXPECT_EQ(findings[0].severity, Severity::Warning);
    const auto whole = findingsOf([](int) { return shapes(0); });
    ASSERT_THAT(checksOf(whole), ElementsAre(Check::Frozen));
    EXPECT_EQ(whole[0].severity, Severity::Failure);
}

TEST(Checks, BrightnessThatGoesUpAndDownFlickers) {
    const auto findings = findingsOf([](int n) {
        return changed(landscape(n, 0.5), [n](int, int, int level) { return level + (n % 2 ? 8 : 0); });
    });
    ASSERT_THAT(checksOf(findings), ElementsAre(Check::Flicker));
    EXPECT_EQ(findings[0].severity, Severity::Warning);
    EXPECT_EQ(findings[0].firstFrame, 1);
    const auto strobe = findingsOf([](int n) {
        return changed(landscape(n), [n](int, int, int level) { return level + (n % 2 ? 24 : 0); });
    });
    ASSERT_THAT(checksOf(strobe), ElementsAre(Check::Flicker));
    EXPECT_EQ(strobe[0].severity, Severity::Failure);
}

TEST(Checks, AnotherSceneIsACut) {
    const auto findings = findingsOf([](int n) {
        return n < 10 ? landscape(n) : changed(landscape(n), [](int, int, int level) { return 255 - level; });
    });
    ASSERT_THAT(checksOf(findings), ElementsAre(Check::Cut));
    EXPECT_EQ(findings[0].firstFrame, 10);
    EXPECT_EQ(findings[0].text, "Scene cut at 11.");
}

TEST(Checks, JumpsWhereChunksMeetAreASeamInTime) {
    const auto findings = findingsOf([](int n) { return landscape(n + 12 * (n / 8), 0.5); });
    ASSERT_THAT(checksOf(findings), ElementsAre(Check::Seam));
    EXPECT_EQ(findings[0].firstFrame, 8);
    EXPECT_EQ(findings[0].lastFrame, 16);
    EXPECT_THAT(findings[0].text, HasSubstr("at frame 9 and 17"));
}

TEST(Checks, ALineWhereTilesMeetIsASeam) {
    const auto upright = findingsOf([](int n) {
        return changed(landscape(n), [](int x, int, int level) { return level + (x >= 64 ? 8 : 0); });
    });
    ASSERT_THAT(checksOf(upright), ElementsAre(Check::Seam));
    EXPECT_THAT(upright[0].text, HasSubstr("x = 64"));
    const auto level = findingsOf([](int n) {
        return changed(shapes(n), [](int, int y, int bright) { return bright + (y >= 128 ? 8 : 0); });
    });
    ASSERT_THAT(checksOf(level), ElementsAre(Check::Seam));
    EXPECT_THAT(level[0].text, HasSubstr("y = 128"));
}

TEST(Checks, BlackBarsAreNoSeams) {
    EXPECT_THAT(findingsOf([](int n) {
                    return changed(landscape(n),
                                   [](int x, int, int level) { return x < 20 || x >= 108 ? 0 : level; });
                }),
                IsEmpty());
}

TEST(Checks, TheWorstComesFirst) {
    const auto findings = findingsOf(
        [](int n) { return n == 2 ? changed(landscape(0), [](int, int, int) { return 0; }) : landscape(0); });
    ASSERT_GE(findings.size(), 2u);
    EXPECT_EQ(findings[0].check, Check::Frozen) << "most of the clip";
    EXPECT_EQ(findings[0].severity, Severity::Failure);
}

// -- files

std::vector<video::Frame> framesOf(const Paint& paint) {
    std::vector<video::Frame> frames;
    for (int n = 0; n < kFrames; ++n) frames.push_back(frameOf(paint(n)));
    return frames;
}

TEST(CheckClip, GivesTheSameVerdictsOnCodedClips) {
    const TemporaryFolder folder("checks");
    const auto checked = [&](const Paint& paint) {
        return checksOf(
            checkClip(video::writeClip(folder.path() / "clip.mp4", framesOf(paint), {.fps = kFps})));
    };
    EXPECT_THAT(checked([](int n) { return shapes(n); }), IsEmpty());
    EXPECT_THAT(checked([](int n) { return landscape(n); }), IsEmpty());
    EXPECT_THAT(checked([](int n) { return shapes(std::min(n, 12)); }), ElementsAre(Check::Frozen));
    EXPECT_THAT(checked([](int n) { return noisePicture(n, 8); }), ElementsAre(Check::Noise));
    EXPECT_THAT(checked([](int n) {
                    return changed(landscape(n),
                                   [n](int, int, int level) { return level + (n % 2 ? 10 : 0); });
                }),
                ElementsAre(Check::Flicker));
    EXPECT_THAT(checked([](int n) {
                    return changed(landscape(n),
                                   [](int x, int, int level) { return level + (x >= 70 ? 10 : 0); });
                }),
                ElementsAre(Check::Seam));
}

TEST(CheckClip, AFileThatCannotBeReadIsAFinding) {
    const TemporaryFolder folder("checks");
    writeFileAtomically(folder.path() / "none.mp4", "not a video");
    const auto findings = checkClip(folder.path() / "none.mp4");
    ASSERT_THAT(checksOf(findings), ElementsAre(Check::Unreadable));
    EXPECT_EQ(findings[0].severity, Severity::Failure);
    EXPECT_THAT(findings[0].text, HasSubstr("none.mp4"));
}

TEST(CheckNames, AreReadBack) {
    for (int i = 0; i <= static_cast<int>(Check::Seam); ++i)
        EXPECT_EQ(checkFromText(toText(static_cast<Check>(i))), static_cast<Check>(i));
    EXPECT_FALSE(checkFromText("boring"));
}

}  // namespace
}  // namespace dailies::quality

#include "trainer/scoring/scorer.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/scoring/scorer_modules.h"
#include "trainer/scoring/frechet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

using testing::HasSubstr;

class ScorerTest : public testing::Test {
protected:
    Scorer scorer(const std::vector<std::string>& methods) const {
        saveModule(file(), methods);
        return {file(), at::kCPU};
    }
    std::string refusal(const std::vector<std::string>& methods) const {
        try {
            scorer(methods);
        } catch (const InputError& error) {
            return error.full();
        }
        return "accepted";
    }
    std::string failure(const std::string& method, const std::string& caption = "") const {
        try {
            scorer({method}).values(frames(), caption);
        } catch (const Error& error) {
            return error.what();
        }
        return "a number";
    }
    std::filesystem::path file() const { return folder.path() / "scorer.pt"; }

    /// Four frames of 6 × 8 pixels: red 10, green 20, blue 30.
    static at::Tensor frames() {
        return at::tensor({10, 20, 30}, at::kByte).view({1, 3, 1, 1}).expand({4, 3, 6, 8}).contiguous();
    }

    TemporaryFolder folder;
};

TEST_F(ScorerTest, GivesANumberOfTheFrames) {
    EXPECT_EQ(scorer({kBrightness}).values(frames(), "red").at(""), 20);
    EXPECT_EQ(scorer({"def forward(self, frames) -> int:\n    return frames.size(0)\n"})
                  .values(frames(), "")
                  .at(""),
              4);
}

TEST_F(ScorerTest, ReadsTheCaptionWhereItAsksForIt) {
    const auto longer =
        scorer({"def forward(self, frames, caption: str) -> float:\n"
                "    return float(len(caption)) + frames.float().mean().item()\n"});
    EXPECT_TRUE(longer.readsCaptions());
    EXPECT_EQ(longer.values(frames(), "four").at(""), 24);
    EXPECT_FALSE(scorer({kBrightness}).readsCaptions());
}

TEST_F(ScorerTest, GivesSeveralNumbersByName) {
    const auto values = scorer({"def forward(self, frames):\n"
                                "    return {'red': frames[:, 0].float().mean(), "
                                "'blue': frames[:, 2].float().mean()}\n"})
                            .values(frames(), "");
    EXPECT_EQ(values.at("red"), 10);
    EXPECT_EQ(values.at("blue"), 30);
}

TEST_F(ScorerTest, GivesFeaturesOfOneWindowOrSeveral) {
    const auto colours = scorer({kColours});
    EXPECT_TRUE(colours.givesFeatures());
    EXPECT_FALSE(colours.givesValues());
    EXPECT_TRUE(at::equal(colours.features(frames()), at::tensor({10.f, 20.f, 30.f}).view({1, 3})));
    const auto windows = scorer({"def features(self, frames):\n    return frames.float().mean([2, 3])\n"});
    EXPECT_EQ(windows.features(frames()).sizes(), (at::IntArrayRef{4, 3}));
}

TEST_F(ScorerTest, RefusesWhatIsNoScorerAndSaysWhatWouldBe) {
    EXPECT_THAT(refusal({"def score(self, frames):\n    return frames\n"}),
                HasSubstr("has neither forward nor features"));
    const auto wrong = refusal({"def forward(self, frames, strength: int):\n    return frames.mean()\n"});
    EXPECT_THAT(wrong, HasSubstr("forward(frames: Tensor, strength: int)"));
    EXPECT_THAT(wrong, HasSubstr("A scorer has forward(frames: Tensor)"));
    EXPECT_THAT(refusal({"def forward(self, path: str) -> float:\n    return 1.0\n"}),
                HasSubstr("forward(path: str) -> float"));
    EXPECT_THAT(refusal({"def forward(self, frames):\n    return [1.0]\n"}), HasSubstr("List[float]"));
    EXPECT_THAT(refusal({"def features(self, frames):\n    return 1.0\n"}), HasSubstr("features("));
    writeFileAtomically(file(), "PK no module");
    EXPECT_THAT([&] { Scorer(file(), at::kCPU); },
                testing::ThrowsMessage<InputError>(HasSubstr("is no TorchScript module")));
    EXPECT_THAT([] { Scorer("/nowhere.pt", at::kCPU); },
                testing::ThrowsMessage<InputError>(HasSubstr("scorer: there is no file /nowhere.pt")));
}

TEST_F(ScorerTest, SaysWhatIsWrongWithAnAnswer) {
    EXPECT_THAT(failure("def forward(self, frames):\n"
                        "    assert frames.size(0) >= 16, 'wants 16 frames, found ' + str(frames.size(0))\n"
                        "    return frames.float().mean()\n"),
                HasSubstr("wants 16 frames, found 4"));
    EXPECT_THAT(failure("def forward(self, frames):\n    return frames.float().mean() * float('nan')\n"),
                HasSubstr("gave NaN"));
    EXPECT_THAT(failure("def forward(self, frames):\n    return frames.float().mean([0, 2, 3])\n"),
                HasSubstr("shape [3]"));
    EXPECT_THAT(failure("def forward(self, frames):\n    return frames.float().view([7, -1]).mean()\n"),
                HasSubstr("invalid for input of size"));
    EXPECT_THAT(failure("def forward(self, frames):\n    return {'sharp': frames.float().mean() / 0}\n"),
                HasSubstr("gave Infinity for sharp"));
}

TEST(Frechet, IsZeroOfTheSameAndTheSquareOfAShift) {
    const auto features = at::arange(40, at::kFloat).view({10, 4}).sin();
    const auto statistics = statisticsOf(features);
    EXPECT_NEAR(frechetDistance(statistics, statistics), 0, 1e-9);
    const auto shifted = statisticsOf(features + at::tensor({3.f, 0.f, 0.f, 4.f}));
    EXPECT_NEAR(frechetDistance(statistics, shifted), 25, 1e-5);
}

TEST(Frechet, OfOneNumberIsTheDifferenceOfMeansAndDeviations) {
    const auto a = statisticsOf(at::tensor({0.f, 2.f}).view({2, 1}));  // mean 1, deviation √2
    const auto b = statisticsOf(at::tensor({1.f, 9.f}).view({2, 1}));  // mean 5, deviation 4√2
    EXPECT_NEAR(frechetDistance(a, b), 16 + 18, 1e-9);
}

TEST(Frechet, NeedsTwoOnEachSideOfOneWidth) {
    EXPECT_THAT(
        [] {
            statisticsOf(at::zeros({1, 3}));
        },
        testing::ThrowsMessage<Error>(HasSubstr("at least two")));
    EXPECT_THAT(
        [] {
            frechetDistance(statisticsOf(at::zeros({2, 3})), statisticsOf(at::zeros({2, 4})));
        },
        testing::ThrowsMessage<Error>(HasSubstr("3 and 4 numbers")));
}

}  // namespace
}  // namespace dailies::trainer

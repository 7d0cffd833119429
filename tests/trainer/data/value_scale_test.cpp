#include "trainer/data/value_scale.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(ValueScale, IsMeasuredForEachChannel) {
    ScaleMeasure measure(2);
    measure.add(std::vector<float>{1, 10, 3, 30}, std::identity());
    measure.add(std::vector<float>{2, 20}, std::identity());
    const auto scale = measure.scale(1e-3);
    EXPECT_TRUE(scale.isOfChannels());
    EXPECT_DOUBLE_EQ(scale.mean[0], 2);
    EXPECT_DOUBLE_EQ(scale.mean[1], 20);
    EXPECT_NEAR(scale.deviation[1], std::sqrt(200 / 3.0), 1e-9);
    ScaleMeasure flat(1);
    flat.add(std::vector<float>{4, 4, 4}, std::identity());
    EXPECT_EQ(flat.scale(0.05), (ValueScale{{4}, {0.05}}));
}

TEST(ValueScale, IsKeptAsANumberOrAList) {
    EXPECT_EQ(toJson(std::vector<double>{2}), Json(2.0));
    EXPECT_EQ(numbersFromJson(Json(2)), std::vector<double>{2}) << "as checkpoints had it before";
    EXPECT_EQ(numbersFromJson(toJson({1, 2, 3})), (std::vector<double>{1, 2, 3}));
}

class LatentScale : public testing::Test {
protected:
    std::string refusal(const std::string& text) {
        writeFileAtomically(file, text);
        try {
            readLatentScale(file, 2);
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    }

    TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "config.json";
};

TEST_F(LatentScale, IsReadAsDiffusersWritesIt) {
    EXPECT_EQ(
        refusal(
            R"({"_class_name": "AutoencoderKLWan", "latents_mean": [-0.7, 1], "latents_std": [2.8, 1.5]})"),
        "");
    EXPECT_EQ(readLatentScale(file, 2), (ValueScale{{-0.7, 1}, {2.8, 1.5}}));
}

TEST_F(LatentScale, ThatIsNoneIsRefusedByItsFile) {
    EXPECT_THAT(
        refusal(R"({"latents_mean": [1, 2, 3], "latents_std": [1, 2, 3]})"),
        AllOf(HasSubstr("config.json: latents_mean is a list of 3 numbers"), HasSubstr("expected 2")));
    EXPECT_THAT(refusal(R"({"latents_mean": [1, 2]})"), HasSubstr("latents_std is no list of numbers"));
    EXPECT_THAT(refusal(R"({"latents_mean": [1, 2], "latents_std": [1, 0]})"), HasSubstr("not above 0"));
    EXPECT_THAT(refusal("[]"), HasSubstr("latents_mean"));
    EXPECT_THAT(refusal("{"), HasSubstr("config.json"));
    std::filesystem::remove(file);
    EXPECT_THROW(readLatentScale(file, 2), InputError);
}

}  // namespace
}  // namespace dailies::trainer

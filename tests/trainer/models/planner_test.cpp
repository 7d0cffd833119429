#include "core/planner/clip_flops.h"
#include "core/planner/weight_sizes.h"
#include "tests/trainer/models/families.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/optim/master_weights.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>

namespace dailies::trainer {
namespace {

/// Elements of a weight and whether it computes in bfloat16 → how many there are of it.
using Counts = std::map<std::pair<std::int64_t, bool>, std::int64_t>;

Counts declared(const Model& model) {
    Counts counts;
    const auto weights = model.weightsOnMeta();
    const auto copies = bf16Copies(weights);
    for (const auto& name : weights.names())
        ++counts[{weights[name].numel(), copies[name].scalar_type() == at::kBFloat16}];
    return counts;
}

Counts planned(const ModelShape& shape) {
    config::TrainConfig config;
    config.model = shape.model;
    config.text = shape.text;
    config.tokenizer = tokenizerOf(shape);
    config.data.frames = shape.frames;
    config.data.height = shape.height;
    config.data.width = shape.width;
    Counts counts;
    const planner::DataShape data{shape.channels, shape.captionTokens, shape.textWidth, 4, shape.imageWidth};
    for (const auto& weight : planner::weightSizes(config, data))
        counts[{weight.elements, weight.use != planner::WeightUse::exact}] += weight.count;
    return counts;
}

class PlannedModel : public testing::TestWithParam<Variant> {};

TEST_P(PlannedModel, HasTheWeightsThatTheModelDeclares) {
    const auto& shape = GetParam().shape;
    EXPECT_EQ(planned(shape), declared(*makeModelWithTextEncoder(shape, at::kCPU)));
}

TEST_P(PlannedModel, HasThoseOfATextEncoderThatIsTrainedAlong) {
    auto shape = GetParam().shape;
    shape.text.encoder = "bytes";
    shape.text.tokens = 9;
    shape.text.width = 12;
    shape.text.depth = 3;
    shape.textWidth = 12;
    EXPECT_EQ(planned(shape), declared(*makeModelWithTextEncoder(shape, at::kCPU)));
}

TEST_P(PlannedModel, TakesTheOperationsThatTheModelCounts) {
    const auto& shape = GetParam().shape;
    constexpr std::int64_t kWordsOfCaption = 4;
    const auto model = makeModel(shape, at::kCPU);
    const ClipSize size{shape.frames, shape.height, shape.width};
    const auto counted = model->flops(size, kWordsOfCaption);
    config::TrainConfig config;
    config.model = shape.model;
    config.text = shape.text;
    config.tokenizer = tokenizerOf(shape);
    const planner::DataShape data{shape.channels, shape.captionTokens, shape.textWidth, kWordsOfCaption,
                                  shape.imageWidth};
    const planner::ClipShape clip{shape.frames, shape.height, shape.width, model->tokensPerClip(size)};
    const auto planned = planner::clipFlops(config, data, clip);
    EXPECT_EQ(planned.forward(), static_cast<double>(counted.forward()));
    EXPECT_EQ(planned.backward(), static_cast<double>(counted.backward()));
    EXPECT_EQ(planned.standard(), static_cast<double>(counted.standard()));
}

INSTANTIATE_TEST_SUITE_P(Families, PlannedModel, testing::ValuesIn(variants()),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace dailies::trainer

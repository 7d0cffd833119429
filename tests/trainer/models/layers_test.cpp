#include "trainer/models/layers/adaln.h"
#include "trainer/models/layers/attention.h"
#include "trainer/models/layers/rotary.h"
#include "trainer/models/layers/time_embedding.h"
#include "trainer/models/st_dit/st_dit.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::layers {
namespace {

constexpr std::int64_t kHead = 24;

SequenceLayout oneClip(std::int64_t frames, std::int64_t rows, std::int64_t columns, double fps = 24) {
    return SequenceLayout({{.clips = 1, .frames = frames, .rows = rows, .columns = columns, .fps = fps}});
}

/// Scores of one query with one key, standing at each pair of places of a clip.
at::Tensor scores(const Rotary& rotary, const SequenceLayout& layout) {
    const auto tokens = layout.groups()[0].tokens();
    const auto rope = rotary.rope(layout);
    const auto query = rotated(normalTensor(1, {1, 1, 1, kHead}).expand({1, tokens, 1, kHead}), rope);
    const auto key = rotated(normalTensor(2, {1, 1, 1, kHead}).expand({1, tokens, 1, kHead}), rope);
    return at::matmul(query[0].select(1, 0), key[0].select(1, 0).t());
}

class RotaryTest : public testing::TestWithParam<bool> {
protected:
    Rotary::Settings settings{.headWidth = kHead, .interleaved = GetParam()};
};

TEST_P(RotaryTest, KeepsNormsAndLeavesTheOriginAlone) {
    const Rotary rotary(settings, at::kCPU);
    const auto x = normalTensor(1, {1, 24, 2, kHead});
    const auto turned = rotated(x, rotary.rope(oneClip(2, 3, 4)));
    EXPECT_LT((turned.norm(2, -1) - x.norm(2, -1)).abs().max().item<float>(), 1e-5);
    EXPECT_TRUE(at::equal(turned.select(1, 0), x.select(1, 0)));
}

TEST_P(RotaryTest, MakesAttentionDependOnDistanceOnly) {
    const auto all = scores(Rotary(settings, at::kCPU), oneClip(3, 4, 5));
    const auto token = [](int frame, int row, int column) { return (frame * 4 + row) * 5 + column; };
    const auto score = [&](int from, int to) { return all[from][to].item<float>(); };
    // the same step of (1 frame, 1 row, 2 columns) from several places
    const float one = score(token(0, 0, 0), token(1, 1, 2));
    EXPECT_NEAR(score(token(1, 2, 2), token(2, 3, 4)), one, 1e-4);
    EXPECT_NEAR(score(token(0, 1, 1), token(1, 2, 3)), one, 1e-4);
    EXPECT_GT(std::abs(score(token(0, 0, 0), token(1, 2, 1)) - one), 1e-3) << "each axis must count";
}

TEST_P(RotaryTest, ASecondIsAsLongAtAnyFrameRate) {
    settings.fps = 24;
    const Rotary rotary(settings, at::kCPU);
    // half a second apart: 12 frames at 24 a second, 4 at 8
    const auto fast = scores(rotary, oneClip(13, 1, 1, 24)), slow = scores(rotary, oneClip(5, 1, 1, 8));
    EXPECT_NEAR(fast[0][12].item<float>(), slow[0][4].item<float>(), 1e-4);
    EXPECT_GT(std::abs(fast[0][4].item<float>() - slow[0][4].item<float>()), 1e-3);
    settings.fps = 0;
    const Rotary byNumber(settings, at::kCPU);
    EXPECT_TRUE(at::equal(scores(byNumber, oneClip(5, 1, 1, 24)), scores(byNumber, oneClip(5, 1, 1, 8))));
}

TEST_P(RotaryTest, AStretchedAxisKeepsItsFastestTurnAndSlowsTheSlowest) {
    const auto plain = Rotary(settings, at::kCPU).rope(oneClip(3, 2, 2));
    settings.timeScale = 2;
    const auto stretched = Rotary(settings, at::kCPU).rope(oneClip(3, 2, 2));
    EXPECT_TRUE(at::equal(plain.cos.select(-1, 0), stretched.cos.select(-1, 0)));
    // of 8 channels in time, pair i turns by 10000^(-2i/8) a frame, here slower by 2^(-2i/6)
    const std::int64_t last = GetParam() ? 3 : 3;
    const auto angle = [&](const RopeTable& rope) {
        return std::asin(rope.sin[8][0][last].item<double>()) / 2;
    };
    EXPECT_NEAR(angle(plain), std::pow(10000.0, -6.0 / 8), 1e-6);
    EXPECT_NEAR(angle(stretched), std::pow(10000.0, -6.0 / 8) / 2, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Forms, RotaryTest, testing::Values(false, true),
                         [](const auto& form) { return form.param ? "interleaved" : "halves"; });

TEST(SequenceLayout, SplitsWhatItJoins) {
    const SequenceLayout layout({{.clips = 2, .frames = 2, .rows = 1, .columns = 3},
                                 {.clips = 3, .frames = 1, .rows = 2, .columns = 2}});
    const std::vector<at::Tensor> groups = {normalTensor(1, {2, 6, 5}), normalTensor(2, {3, 4, 5})};
    const auto joined = layout.join(groups);
    EXPECT_EQ(joined.sizes(), at::IntArrayRef({1, 24, 5}));
    const auto split = layout.split(joined);
    EXPECT_TRUE(at::equal(split[0], groups[0]) && at::equal(split[1], groups[1]));

    const auto rows = at::arange(5, at::kFloat).unsqueeze(1);
    const auto spread = layout.perToken(rows)[0].select(1, 0);
    EXPECT_EQ(spread[5].item<float>(), 0);
    EXPECT_EQ(spread[6].item<float>(), 1);
    EXPECT_EQ(spread[12].item<float>(), 2);
    EXPECT_EQ(spread[23].item<float>(), 4);
    EXPECT_TRUE(at::equal(layout.clipOffsets(at::kCPU), at::tensor({0, 6, 12, 16, 20, 24}, at::kInt)));
    EXPECT_EQ(layout.longestClip(), 6);
}

/// Whether a change of the token at `from` moves the one at `to`.
bool reaches(Span span, std::int64_t from, std::int64_t to) {
    const SelfAttention attention{{.width = kHead, .heads = 2, .kvHeads = 2}};
    auto make = WeightInitializer::fromSeed(1);
    attention.declare(make, "a");
    const auto weights = make.take();
    const auto layout = oneClip(3, 2, 2);
    const auto rope = Rotary({.headWidth = kHead / 2}, at::kCPU).rope(layout);
    const auto tokens = normalTensor(1, {1, 12, kHead});
    auto changed = tokens.clone();
    changed[0][from] += 1;
    const auto difference = attention(weights, "a", changed, layout, span, rope) -
                            attention(weights, "a", tokens, layout, span, rope);
    return difference[0][to].abs().max().item<float>() > 1e-6;
}

TEST(SelfAttention, SpansTheClipTheFrameOrThePlace) {
    const std::int64_t here = 0, sameFrame = 3, samePlace = 8, elsewhere = 11;
    for (const auto to : {here, sameFrame, samePlace, elsewhere}) EXPECT_TRUE(reaches(Span::full, here, to));
    EXPECT_TRUE(reaches(Span::spatial, here, sameFrame));
    EXPECT_FALSE(reaches(Span::spatial, here, samePlace));
    EXPECT_TRUE(reaches(Span::temporal, here, samePlace));
    EXPECT_FALSE(reaches(Span::temporal, here, sameFrame));
    EXPECT_FALSE(reaches(Span::temporal, here, elsewhere));
}

TEST(SelfAttention, GroupedQueriesShareTheirKeysAndValues) {
    const SelfAttention grouped{{.width = kHead, .heads = 4, .kvHeads = 2}};
    const SelfAttention plain{{.width = kHead, .heads = 4, .kvHeads = 4}};
    auto make = WeightInitializer::fromSeed(1);
    grouped.declare(make, "a");
    const auto few = make.take();
    Params many;
    const auto doubled = [&](std::int64_t first) {  // each head of keys or values twice, one after the other
        return few["a.qkv.weight"]
            .narrow(0, first, 12)
            .view({2, 1, 6, kHead})
            .expand({2, 2, 6, kHead})
            .reshape({24, kHead});
    };
    many.add("a.qkv.weight", at::cat({few["a.qkv.weight"].narrow(0, 0, 24), doubled(24), doubled(36)}));
    for (const auto* name : {"a.query_norm.weight", "a.key_norm.weight", "a.attention_out.weight"})
        many.add(name, few[name]);
    const auto layout = oneClip(3, 2, 2);
    const auto rope = Rotary({.headWidth = 6}, at::kCPU).rope(layout);
    const auto tokens = normalTensor(1, {1, 12, kHead});
    EXPECT_LT((grouped(few, "a", tokens, layout, Span::full, rope) -
               plain(many, "a", tokens, layout, Span::full, rope))
                  .abs()
                  .max()
                  .item<float>(),
              1e-6);
}

TEST(TimeSinusoids, AreCosinesThenSinesOfFallingFrequency) {
    const auto sinusoids = timestepEmbedding(at::full({1}, 3.0), 4)[0];
    EXPECT_NEAR(sinusoids[0].item<double>(), std::cos(3.0), 1e-6);
    EXPECT_NEAR(sinusoids[1].item<double>(), std::cos(0.03), 1e-6);
    EXPECT_NEAR(sinusoids[2].item<double>(), std::sin(3.0), 1e-6);
    EXPECT_NEAR(sinusoids[3].item<double>(), std::sin(0.03), 1e-6);
}

TEST(AdaLn, BeginsWithGatesOfZero) {
    for (const auto* kind : {"single", "lora", "full"}) {
        const AdaLn adaln(kind, kHead, 4, 3, true);
        auto make = WeightInitializer::fromSeed(1);
        adaln.declareTime(make);
        adaln.declareShared(make);
        adaln.declareBlock(make, "b");
        adaln.declareFinal(make);
        const auto weights = make.take();
        const auto conditioning =
            adaln.conditioning(weights, normalTensor(1, {2, kHead}), normalTensor(2, {2, kHead}));
        const auto rows = adaln.block(weights, "b", conditioning);
        ASSERT_EQ(rows.size(), 9) << kind;
        for (const auto& row : rows) EXPECT_EQ(row.abs().max().item<float>(), 0) << kind;
    }
}

/// A spy on the spans of an StDit's blocks.
struct Spans : StDit {
    using StDit::StDit;
    std::string of(std::int64_t blocks) const {
        std::string all;
        for (std::int64_t i = 0; i < blocks; ++i) all += "cfp"[static_cast<int>(span(i))];
        return all;
    }
};

TEST(StDit, AttendsInTurnWithinFramesAndOverTime) {
    ModelShape shape;
    shape.frames = 4;
    shape.height = 16;
    shape.width = 16;
    EXPECT_EQ(Spans(shape, at::kCPU).of(6), "fpfpfp");
    shape.model.full_attention_every = 3;
    EXPECT_EQ(Spans(shape, at::kCPU).of(9), "fpcfpcfpc");
    shape.model.full_attention_every = 4;
    EXPECT_EQ(Spans(shape, at::kCPU).of(8), "fpfcpfpc") << "frames and places stay in turn";
}

}  // namespace
}  // namespace dailies::trainer::layers

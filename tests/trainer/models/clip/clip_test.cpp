#include "core/base/error.h"
#include "tests/trainer/models/clip/lively_clip.h"
#include "trainer/models/clip/clip_text.h"
#include "trainer/models/clip/clip_vision.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <numeric>

// What the encoders must do whatever their weights are; that they compute what transformers' do is in
// tests/interop/trainer/clip_as_transformers.py.

namespace dailies::trainer::clip {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kExact = 1e-12;  // of values of about 1, in float64

double apart(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

std::int64_t numbersOf(const NamedShapes& tensors) {
    std::int64_t count = 0;
    for (const auto& [name, shape] : tensors)
        count += std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    return count;
}

at::Tensor noise(std::uint64_t key = 3) {
    return normalTensor(key, {2, 3, 12, 12}).to(at::kDouble);
}

VisionOutput seen(const VisionSizes& sizes, const at::Tensor& pictures) {
    return VisionTower(sizes)(livelyWeights(visionTensors(tinyVision())), pictures);
}

TextOutput read(const std::vector<std::int64_t>& ids) {
    const auto sizes = tinyText();
    return TextTower(sizes)(livelyWeights(textTensors(sizes)), at::tensor(ids, at::kLong).unsqueeze(0));
}

TEST(ClipSizes, AreThoseOfThePublishedEncoders) {
    EXPECT_EQ(visionTensors({}).size(), 392U);
    EXPECT_EQ(numbersOf(visionTensors({})), 303'966'208) << "ViT-L/14 with its projection";
    const TowerSizes huge{.width = 1280, .layers = 32, .heads = 16, .hidden = 5120, .projection = 1024};
    EXPECT_EQ(numbersOf(visionTensors({.tower = huge})), 632'076'800) << "ViT-H/14";
    EXPECT_EQ(VisionSizes().tokens(), 257);
    EXPECT_EQ(numbersOf(textTensors({})), 123'060'480) << "of Stable Diffusion 1";
}

TEST(ClipVision, PatchesAreTokensRowByRowBehindOneOfTheirOwn) {
    auto sizes = tinyVision();
    sizes.tower.layers = 0;  // so that no token hears of another
    const auto picture = noise();
    auto changed = picture.clone();
    changed.narrow(2, 4, 4).narrow(3, 8, 4) += 1;  // second row, third column
    const auto differs = (seen(sizes, picture).last - seen(sizes, changed).last).abs().amax({0, 2});
    ASSERT_EQ(differs.numel(), 10);
    for (std::int64_t i = 0; i < 10; ++i)
        EXPECT_EQ(differs[i].item<double>() > 0.1, i == 1 + 3 + 2) << "token " << i;
}

TEST(ClipVision, GivesWhatEachModelReads) {
    const auto sizes = tinyVision();
    auto shorter = sizes, bare = sizes;
    shorter.tower.layers = 1;
    bare.tower.projection = 0;
    const auto picture = noise();
    const auto output = seen(sizes, picture);
    EXPECT_EQ(output.last.sizes(), (at::IntArrayRef{2, 10, 12}));
    EXPECT_TRUE(at::equal(output.penultimate, seen(shorter, picture).last)) << "one layer less";
    EXPECT_GT(apart(output.penultimate, output.last), 0.1);
    EXPECT_EQ(output.pooled.sizes(), (at::IntArrayRef{2, 12}));
    const auto weights = livelyWeights(visionTensors(sizes));
    EXPECT_LT(apart(output.projected, at::matmul(output.pooled, weights["visual_projection.weight"].t())),
              kExact);
    EXPECT_FALSE(seen(bare, picture).projected.defined());
    EXPECT_LT(apart(seen(sizes, picture.narrow(0, 1, 1)).projected, output.projected.narrow(0, 1, 1)), kExact)
        << "a picture does not hear of its neighbour";
}

TEST(ClipVision, ALayerIsAttentionAndAnMlpBehindNorms) {
    auto sizes = tinyVision();
    sizes.tower.layers = 1;
    const auto weights = livelyWeights(visionTensors(sizes));
    for (const std::string activation : {"quick_gelu", "gelu"}) {
        sizes.tower.activation = activation;
        const auto output = seen(sizes, noise());
        const auto through = [&](const std::string& name, const at::Tensor& x) {
            const auto full = "vision_model.encoder.layers.0." + name;
            return at::matmul(x, weights[full + ".weight"].t()) + weights[full + ".bias"];
        };
        const auto normed = [&](const std::string& name, const at::Tensor& x) {
            const auto full = "vision_model.encoder.layers.0." + name;
            const auto centred = x - x.mean(-1, true);
            return centred / at::sqrt(centred.square().mean(-1, true) + 1e-5) * weights[full + ".weight"] +
                   weights[full + ".bias"];
        };
        auto x = output.penultimate;
        const auto own = normed("layer_norm1", x);
        const auto heads = [&](const char* name) {
            return through(name, own).view({2, 10, 3, 4}).permute({0, 2, 1, 3});
        };
        const auto scores =
            at::matmul(heads("self_attn.q_proj"), heads("self_attn.k_proj").transpose(2, 3)) / 2;
        const auto mixed = at::matmul(at::softmax(scores, -1), heads("self_attn.v_proj"));
        x = x + through("self_attn.out_proj", mixed.permute({0, 2, 1, 3}).reshape({2, 10, 12}));
        const auto inner = through("mlp.fc1", normed("layer_norm2", x));
        const auto gate = activation == "gelu" ? (1 + at::erf(inner / std::sqrt(2.0))) / 2
                                               : 1 / (1 + at::exp(-1.702 * inner));
        x = x + through("mlp.fc2", inner * gate);
        EXPECT_LT(apart(output.last, x), 1e-11) << activation;
    }
}

TEST(ClipVision, RefusesWhatItCannotRead) {
    auto sizes = tinyVision();
    EXPECT_THAT(
        [&] {
            seen(sizes, normalTensor(1, {2, 3, 12, 16}));
        },
        ThrowsMessage<Error>(HasSubstr("of 12 × 12 pixels")));
    sizes.tower.heads = 5;
    EXPECT_THAT([&] { VisionTower refused(sizes); },
                ThrowsMessage<InputError>(HasSubstr("a width of 12, which its 5 heads do not divide")));
    sizes = tinyVision();
    sizes.tower.activation = "relu";
    EXPECT_THAT([&] { VisionTower refused(sizes); },
                ThrowsMessage<InputError>(HasSubstr("activation relu, expected quick_gelu or gelu")));
}

TEST(ClipText, AWordIsHeardByThoseBehindItAlone) {
    const auto one = read({18, 3, 4, 5, 19, 0, 0}), other = read({18, 3, 4, 6, 19, 0, 0});
    EXPECT_LT(apart(one.last.narrow(1, 0, 3), other.last.narrow(1, 0, 3)), kExact);
    for (std::int64_t i = 3; i < 7; ++i) EXPECT_GT(apart(one.last[0][i], other.last[0][i]), 1e-2) << i;
    EXPECT_GT(apart(one.projected, other.projected), 1e-2);
    EXPECT_GT(apart(read({18, 3, 4, 19}).pooled, read({18, 4, 3, 19}).pooled), 1e-2) << "order is heard";
}

TEST(ClipText, IsPooledAtTheFirstEndOfTextWhateverPadsIt) {
    const auto bare = read({18, 3, 4, 19});
    EXPECT_LT(apart(bare.pooled, bare.last.select(1, 3)), kExact);
    for (const auto& padded : {read({18, 3, 4, 19, 0, 0}), read({18, 3, 4, 19, 19, 19})}) {
        EXPECT_LT(apart(padded.pooled, bare.pooled), kExact);
        EXPECT_LT(apart(padded.projected, bare.projected), kExact);
    }
    EXPECT_THAT(
        [] {
            read({18, 1, 2, 3, 4, 5, 6, 7, 8, 19});
        },
        ThrowsMessage<Error>(HasSubstr("texts of 9 tokens was given 10")));
}

}  // namespace
}  // namespace dailies::trainer::clip

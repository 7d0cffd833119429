#include "trainer/tokenizers/causal_vae/causal_vae.h"

#include "core/base/error.h"
#include "tests/trainer/peak_allocation.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/causal_vae/tiles.h"
#include "trainer/tokenizers/causal_vae/vae_loss.h"
#include "trainer/tokenizers/causal_vae/vae_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::vae {
namespace {

constexpr std::uint64_t kClip = 1;

Shape tinyShape(std::int64_t framesFactor = 4, std::int64_t spaceFactor = 4) {
    return {framesFactor, spaceFactor, 3, 4, 1};
}

config::TrainConfig::Tokenizer configOf(const Shape& shape) {
    config::TrainConfig::Tokenizer config;
    config.kind = "vae";
    config.frames_factor = shape.framesFactor;
    config.space_factor = shape.spaceFactor;
    config.channels = shape.channels;
    config.width = shape.width;
    return config;
}

/// Weights of which none is zero, so that nothing hides behind a layer that adds nothing yet.
Params lively(const CausalVae& vae) {
    Params weights;
    std::uint64_t key = 7;
    const auto drawn = vae.initialWeights(3);
    for (const auto& name : drawn.names())
        weights.add(name, drawn[name] + 0.1 * normalTensor(++key, drawn[name].sizes()));
    return weights;
}

at::Tensor randomClip(std::int64_t frames, std::int64_t side = 16) {
    return normalTensor(kClip, {1, 3, frames, side, side});
}

at::Tensor encodeIn(const CausalVae& vae, const Params& weights, const at::Tensor& clips,
                    const std::vector<std::int64_t>& chunks) {
    StreamState memory;
    std::vector<at::Tensor> pieces;
    for (const auto& chunk : clips.split_with_sizes(chunks, 2))
        if (const auto out = vae.encode(weights, chunk, memory); out.mean.defined())
            pieces.push_back(at::cat({out.mean, out.logVariance}, 1));
    return at::cat(pieces, 2);
}

at::Tensor decodeIn(const CausalVae& vae, const Params& weights, const at::Tensor& latents,
                    const std::vector<std::int64_t>& chunks) {
    StreamState memory;
    std::vector<at::Tensor> pieces;
    for (const auto& chunk : latents.split_with_sizes(chunks, 2))
        pieces.push_back(vae.decode(weights, chunk, memory));
    return at::cat(pieces, 2);
}

class CausalVaeTest : public testing::Test {
protected:
    const at::NoGradGuard noGradients;
};

TEST_F(CausalVaeTest, SizesFollowTheFactors) {
    for (const auto& [framesFactor, spaceFactor] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 2}, {2, 2}, {2, 4}, {4, 4}, {1, 1}}) {
        const CausalVae vae(tinyShape(framesFactor, spaceFactor));
        const auto weights = vae.initialWeights(0);
        for (const std::int64_t frames : {std::int64_t{1}, 1 + framesFactor, 1 + 2 * framesFactor}) {
            StreamState encoding, decoding;
            const auto latents = vae.encode(weights, randomClip(frames), encoding).mean;
            EXPECT_EQ(latents.sizes(), (at::IntArrayRef{1, 3, 1 + (frames - 1) / framesFactor,
                                                        16 / spaceFactor, 16 / spaceFactor}));
            EXPECT_EQ(vae.decode(weights, latents, decoding).sizes(),
                      (at::IntArrayRef{1, 3, frames, 16, 16}));
        }
    }
}

TEST_F(CausalVaeTest, AFrameChangesNothingBeforeIt) {
    const CausalVae vae(tinyShape());
    const auto weights = lively(vae);
    const auto clip = randomClip(13);
    const auto before = encodeIn(vae, weights, clip, {13});
    for (std::int64_t changed = 0; changed < 13; ++changed) {
        auto other = clip.clone();
        other.select(2, changed).add_(1);
        const auto after = encodeIn(vae, weights, other, {13});
        const auto first = (changed + 3) / 4;  // the latent frame that sees it first
        EXPECT_TRUE(at::equal(after.slice(2, 0, first), before.slice(2, 0, first))) << "frame " << changed;
        EXPECT_FALSE(at::equal(after.select(2, first), before.select(2, first))) << "frame " << changed;
    }
    const auto latents = before.slice(1, 0, 3).contiguous();
    const auto whole = decodeIn(vae, weights, latents, {4});
    for (std::int64_t changed = 1; changed < 4; ++changed) {
        auto other = latents.clone();
        other.select(2, changed).add_(1);
        const auto after = decodeIn(vae, weights, other, {4});
        const auto first = 1 + 4 * (changed - 1);
        EXPECT_TRUE(at::equal(after.slice(2, 0, first), whole.slice(2, 0, first)));
        EXPECT_FALSE(at::equal(after.select(2, first), whole.select(2, first)));
    }
}

TEST_F(CausalVaeTest, PiecesEqualTheWholeBitForBit) {
    const CausalVae vae(tinyShape());
    const auto weights = lively(vae);
    const auto clip = randomClip(17);
    const auto whole = encodeIn(vae, weights, clip, {17});
    for (const std::vector<std::int64_t>& chunks : {std::vector<std::int64_t>{1, 16},
                                                    {1, 4, 4, 4, 4},
                                                    {5, 12},
                                                    {3, 3, 3, 3, 3, 2},
                                                    {2, 15},
                                                    {16, 1},
                                                    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                                    {7, 9, 1},
                                                    {9, 8}})
        EXPECT_TRUE(at::equal(encodeIn(vae, weights, clip, chunks), whole)) << chunks.size() << " pieces";
    const auto latents = whole.slice(1, 0, 3).contiguous();
    const auto decoded = decodeIn(vae, weights, latents, {5});
    for (const std::vector<std::int64_t>& chunks :
         {std::vector<std::int64_t>{1, 4}, {1, 1, 1, 1, 1}, {2, 3}, {3, 2}, {4, 1}})
        EXPECT_TRUE(at::equal(decodeIn(vae, weights, latents, chunks), decoded))
            << chunks.size() << " pieces";
}

TEST_F(CausalVaeTest, EveryWeightGetsAGradient) {
    const CausalVae vae(tinyShape(2, 2));
    const auto weights = lively(vae);
    const at::AutoGradMode withGradients(true);
    for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    StreamState encoding, decoding;
    const auto clips = randomClip(5, 8);
    const auto posterior = vae.encode(weights, clips, encoding);
    const auto back =
        vae.decode(weights, posterior.sample(normalTensor(2, posterior.mean.sizes())), decoding);
    lossOf(clips, back, posterior, configOf(vae.shape())).total.sum().backward();
    for (const auto& name : weights.names()) {
        ASSERT_TRUE(weights[name].grad().defined()) << name;
        EXPECT_GT(weights[name].grad().abs().max().item<double>(), 0) << name;
    }
}

TEST(VaeLossTest, FollowsItsFormulas) {
    const auto mean = at::full({2, 1, 1, 1, 2}, 0.5), logVariance = at::full({2, 1, 1, 1, 2}, std::log(0.25));
    const Posterior posterior{mean, logVariance};
    const double each = 0.5 * (0.25 + 0.25 - 1 - std::log(0.25));
    EXPECT_NEAR(posterior.divergence()[1].item<double>(), 2 * each, 1e-6);
    EXPECT_NEAR(posterior.sample(at::full_like(mean, 2)).max().item<double>(), 0.5 + 0.5 * 2, 1e-6);
    EXPECT_NEAR(Loss::psnr(0.04), 20, 1e-9);

    // a step of height 1 between two columns, in one of two clips
    auto clips = at::zeros({2, 3, 2, 4, 4});
    auto back = clips.clone();
    back[0].slice(3, 2).fill_(1);
    const auto edges = edgeLoss(clips, back);
    EXPECT_NEAR(edges[0].item<double>(), (1 / 3.0 + 1.0) / 7, 1e-6)
        << "one of three columns' differences, then one of one; 7 kinds";
    EXPECT_EQ(edges[1].item<double>(), 0);
    EXPECT_EQ(edgeLoss(clips, clips + 3).abs().max().item<double>(), 0) << "brightness is no edge";
}

TEST_F(CausalVaeTest, TheTokenizerRefusesOddSizesWithTheNearestOnes) {
    const CausalVae vae(tinyShape());
    const VaeTokenizer tokenizer(configOf(vae.shape()), vae.shape(), vae.initialWeights(0));
    const auto refusal = [&](std::int64_t frames, std::int64_t height, std::int64_t width) -> std::string {
        try {
            tokenizer.encode(at::zeros({1, frames, height, width, 3}));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refusal(8, 16, 16), testing::HasSubstr("found 8 frames, expected 1 + a multiple of 4"));
    EXPECT_THAT(refusal(8, 16, 16), testing::HasSubstr("5 or 9"));
    EXPECT_THAT(refusal(5, 18, 16), testing::HasSubstr("16 or 20"));
    EXPECT_THAT(refusal(5, 16, 3), testing::HasSubstr("multiple of 4 for the tokenizer: 4"));
    EXPECT_EQ(refusal(5, 16, 20), "");
}

TEST_F(CausalVaeTest, TheTokenizerTakesLongClipsInPiecesThatEqualTheWhole) {
    const CausalVae vae(tinyShape());
    const auto weights = lively(vae);
    const VaeTokenizer tokenizer(configOf(vae.shape()), vae.shape(), weights);
    const auto clip = randomClip(41);
    const auto latents = tokenizer.encode(clip.permute({0, 2, 3, 4, 1}));
    const auto whole = encodeIn(vae, weights, clip, {41}).slice(1, 0, 3);
    EXPECT_TRUE(at::equal(latents.permute({0, 4, 1, 2, 3}), whole));
    const auto back = tokenizer.decode(latents);
    EXPECT_TRUE(at::equal(back.permute({0, 4, 1, 2, 3}), decodeIn(vae, weights, whole.contiguous(), {11})));

    Tokenizer::StreamState memory;
    std::vector<at::Tensor> pieces;
    for (const auto& piece : latents.split(3, 1))
        pieces.push_back(tokenizer.decodePiece(piece, memory, pieces.size() == 3));
    EXPECT_TRUE(at::equal(at::cat(pieces, 1), back)) << "and latents that come in pieces";
}

/// Of the whole frame at once.
at::Tensor encodedWhole(const CausalVae& vae, const Params& weights, const at::Tensor& clips) {
    StreamState memory;
    return vae.encode(weights, clips, memory).mean;
}

at::Tensor decodedWhole(const CausalVae& vae, const Params& weights, const at::Tensor& latents) {
    StreamState memory;
    return vae.decode(weights, latents, memory);
}

/// The largest difference, as a share of what there is.
double relativeDifference(const at::Tensor& a, const at::Tensor& b) {
    return ((a - b).abs().max() / b.abs().max()).item<double>();
}

TEST_F(CausalVaeTest, LargeFramesGoThroughInTilesThatEqualTheWhole) {
    for (const auto& shape : {tinyShape(4, 8), Shape{2, 4, 3, 4, 2}}) {
        const CausalVae vae(shape);
        const auto weights = lively(vae);
        const auto clip = normalTensor(kClip, {1, 3, 5, 64, 48});
        const auto latents = encodedWhole(vae, weights, clip);
        const auto back = decodedWhole(vae, weights, latents);
        // tiles of 16 pixels show a seam wherever the reach is one place too short
        for (const std::int64_t side : {16, 32}) {
            EXPECT_LT(relativeDifference(encodeInTiles(vae, weights, clip, side), latents), 1e-5) << side;
            EXPECT_LT(relativeDifference(decodeInTiles(vae, weights, latents, side), back), 1e-5) << side;
        }
        EXPECT_TRUE(at::equal(encodeInTiles(vae, weights, clip), latents)) << "one tile is the whole";
        EXPECT_TRUE(at::equal(decodeInTiles(vae, weights, latents), back));
    }
}

TEST_F(CausalVaeTest, TilesDependOnAllTheFrameThroughAttention) {
    const CausalVae vae(tinyShape(4, 8));
    const auto weights = lively(vae);
    auto clip = normalTensor(kClip, {1, 3, 1, 96, 96});
    const auto before = encodeInTiles(vae, weights, clip, 16);
    clip.narrow(3, 88, 8).add_(1);  // far from the first tile
    const auto after = encodeInTiles(vae, weights, clip, 16);
    EXPECT_GT((after - before).slice(3, 0, 2).slice(4, 0, 2).abs().max().item<double>(), 0);
}

TEST_F(CausalVaeTest, TilesNeedAFractionOfTheMemoryOfTheWhole) {
    const CausalVae vae({4, 8, 4, 8, 1});
    const auto weights = vae.initialWeights(0);
    // beside the clip and what is made of it
    const auto working = [&](std::int64_t tile) {
        const auto clip = at::zeros({1, 3, 5, 128, 128});
        PeakAllocation peak;
        const auto latents = encodeInTiles(vae, weights, clip, tile);
        const auto encoding = peak.bytes();
        peak.restart();
        const auto back = decodeInTiles(vae, weights, latents, tile);
        return std::pair{encoding, peak.bytes() - static_cast<std::int64_t>(back.nbytes())};
    };
    const auto whole = working(128), tiles = working(32);
    EXPECT_LT(tiles.first, 0.6 * static_cast<double>(whole.first));
    EXPECT_LT(tiles.second, 0.6 * static_cast<double>(whole.second));
}

TEST_F(CausalVaeTest, OtherWeightsAreAnotherTokenizer) {
    const CausalVae vae(tinyShape());
    const auto identity = [&](std::int64_t seed) {
        return VaeTokenizer(configOf(vae.shape()), vae.shape(), vae.initialWeights(seed)).identity();
    };
    EXPECT_EQ(identity(1), identity(1));
    EXPECT_NE(identity(1), identity(2));
}

}  // namespace
}  // namespace dailies::trainer::vae

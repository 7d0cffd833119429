#include "trainer/tokenizers/causal_vae/causal_vae.h"

#include <torch/types.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace dailies::trainer::vae {

namespace {

constexpr std::int64_t kWidest = 4;  // times the width at full resolution
constexpr std::int64_t kColourChannels = 3;
constexpr std::int64_t kSideReach = 1;  // of the convolution that changes the resolution
constexpr double kFirstLogVariance = -6;
constexpr double kMinLogVariance = -30, kMaxLogVariance = 20;

std::int64_t halvings(std::int64_t factor) {
    return std::bit_width(static_cast<std::uint64_t>(factor)) - 1;
}

std::string levelName(const std::string& part, std::size_t level) {
    return part + "." + std::to_string(level);
}

std::string blockName(const std::string& part, std::size_t level, std::int64_t block) {
    return levelName(part, level) + ".block." + std::to_string(block);
}

/// Means of latents as they come, and little variance: noise as strong as the means would hide at first what
/// the decoder is to learn from.
void declareLatents(WeightInitializer& make, std::int64_t channels, std::int64_t inputs) {
    constexpr Kernel kernel;
    make.normal("encoder.out.weight", {2 * channels, inputs, kernel.frames, kernel.side, kernel.side},
                1 / std::sqrt(static_cast<double>(inputs * kernel.frames * kernel.side * kernel.side)));
    make.value("encoder.out.bias", {2 * channels}, [&] {
        return at::cat({at::zeros({channels}), at::full({channels}, kFirstLogVariance)});
    });
}

/// Blocks around attention at the lowest resolution.
void declareMiddle(WeightInitializer& make, const std::string& part, std::int64_t channels) {
    ResidualBlock{channels, channels}.declare(make, part + ".middle.before");
    FrameAttention{channels}.declare(make, part + ".middle.attention");
    ResidualBlock{channels, channels}.declare(make, part + ".middle.after");
}

at::Tensor throughMiddle(const Params& weights, const std::string& part, std::int64_t channels, at::Tensor x,
                         StreamState& memory) {
    x = ResidualBlock{channels, channels}(weights, part + ".middle.before", x, memory);
    x = FrameAttention{channels}(weights, part + ".middle.attention", x);
    return ResidualBlock{channels, channels}(weights, part + ".middle.after", x, memory);
}

at::Tensor lastLayer(const Params& weights, const std::string& part, const at::Tensor& x,
                     StreamState& memory) {
    return convolution(weights, part + ".out", rmsNormSilu(weights, part + ".out_norm", x), {}, memory);
}

}  // namespace

Shape Shape::of(const config::TrainConfig::Tokenizer& config) {
    return {config.frames_factor, config.space_factor, config.channels, config.width, config.blocks};
}

Shape Shape::fromJson(const Json& json) {
    return {json.at("frames_factor"), json.at("space_factor"), json.at("channels"), json.at("width"),
            json.at("blocks")};
}

Json Shape::toJson() const {
    return {{"family", "causal-vae"},
            {"frames_factor", framesFactor},
            {"space_factor", spaceFactor},
            {"channels", channels},
            {"width", width},
            {"blocks", blocks}};
}

at::Tensor Posterior::divergence() const {
    return 0.5 * (mean.square() + logVariance.exp() - 1 - logVariance).flatten(1).sum(1);
}

at::Tensor Posterior::sample(const at::Tensor& noise) const {
    return at::addcmul(mean, (0.5 * logVariance).exp(), noise);
}

CausalVae::CausalVae(const Shape& shape) : m_shape(shape) {
    const auto levels = halvings(shape.spaceFactor), ofFrames = halvings(shape.framesFactor);
    for (std::int64_t i = 0; i < levels; ++i) {
        const auto channels = [&](std::int64_t level) {
            return shape.width * std::min(std::int64_t{1} << level, kWidest);
        };
        m_levels.push_back({channels(i), channels(i + 1), i >= levels - ofFrames});
    }
}

Params CausalVae::initialWeights(std::int64_t seed) const {
    auto make = WeightInitializer::fromSeed(seed);
    const auto finest = m_levels.empty() ? m_shape.width : m_levels.front().fine;
    declareConvolution(make, "encoder.in", finest, kColourChannels, {});
    for (std::size_t i = 0; i < m_levels.size(); ++i) {
        const auto& [fine, coarse, frames] = m_levels[i];
        for (std::int64_t block = 0; block < m_shape.blocks; ++block)
            ResidualBlock{fine, fine}.declare(make, blockName("encoder", i, block));
        Downsample{fine, coarse, frames}.declare(make, levelName("encoder", i) + ".down");
    }
    declareMiddle(make, "encoder", coarsest());
    make.ones("encoder.out_norm.gain", {coarsest()});
    declareLatents(make, m_shape.channels, coarsest());

    declareConvolution(make, "decoder.in", coarsest(), m_shape.channels, {});
    declareMiddle(make, "decoder", coarsest());
    for (auto i = m_levels.size(); i-- > 0;) {
        const auto& [fine, coarse, frames] = m_levels[i];
        Upsample{coarse, fine, frames}.declare(make, levelName("decoder", i) + ".up");
        for (std::int64_t block = 0; block < m_shape.blocks; ++block)
            ResidualBlock{fine, fine}.declare(make, blockName("decoder", i, block));
    }
    make.ones("decoder.out_norm.gain", {finest});
    declareConvolution(make, "decoder.out", kColourChannels, finest, {});
    return make.take();
}

Posterior CausalVae::encode(const Params& weights, const at::Tensor& clips, StreamState& memory) const {
    return encodeCoarse(weights, encodeFine(weights, clips, memory), memory);
}

at::Tensor CausalVae::decode(const Params& weights, const at::Tensor& latents, StreamState& memory) const {
    return decodeFine(weights, decodeCoarse(weights, latents, memory), memory);
}

at::Tensor CausalVae::encodeFine(const Params& weights, const at::Tensor& clips, StreamState& memory) const {
    auto x = convolution(weights, "encoder.in", clips, {}, memory);
    for (std::size_t i = 0; i < m_levels.size(); ++i) {
        const auto& [fine, coarse, frames] = m_levels[i];
        for (std::int64_t block = 0; block < m_shape.blocks; ++block)
            x = ResidualBlock{fine, fine}(weights, blockName("encoder", i, block), x, memory);
        x = Downsample{fine, coarse, frames}(weights, levelName("encoder", i) + ".down", x, memory);
    }
    return x;
}

Posterior CausalVae::encodeCoarse(const Params& weights, const at::Tensor& features,
                                  StreamState& memory) const {
    const auto x = lastLayer(weights, "encoder",
                             throughMiddle(weights, "encoder", coarsest(), features, memory), memory);
    if (!x.defined()) return {};
    const auto parts = x.chunk(2, 1);
    return {parts[0], parts[1].clamp(kMinLogVariance, kMaxLogVariance)};
}

at::Tensor CausalVae::decodeCoarse(const Params& weights, const at::Tensor& latents,
                                   StreamState& memory) const {
    return throughMiddle(weights, "decoder", coarsest(),
                         convolution(weights, "decoder.in", latents, {}, memory), memory);
}

at::Tensor CausalVae::decodeFine(const Params& weights, const at::Tensor& features,
                                 StreamState& memory) const {
    auto x = features;
    for (auto i = m_levels.size(); i-- > 0;) {
        const auto& [fine, coarse, frames] = m_levels[i];
        x = Upsample{coarse, fine, frames}(weights, levelName("decoder", i) + ".up", x, memory);
        for (std::int64_t block = 0; block < m_shape.blocks; ++block)
            x = ResidualBlock{fine, fine}(weights, blockName("decoder", i, block), x, memory);
    }
    return lastLayer(weights, "decoder", x, memory);
}

std::int64_t CausalVae::encoderReach() const {
    std::int64_t reach = 1;  // of the first convolution
    for (std::size_t i = 0; i < m_levels.size(); ++i)
        reach = (reach + 2 * m_shape.blocks + kSideReach + 1) / 2;
    return reach;
}

std::int64_t CausalVae::decoderReach() const {
    std::int64_t reach = 0;
    for (std::size_t i = 0; i < m_levels.size(); ++i) reach = 2 * reach + kSideReach + 2 * m_shape.blocks;
    return (reach + 1 + m_shape.spaceFactor - 1) / m_shape.spaceFactor;
}

std::int64_t CausalVae::coarsest() const {
    return m_levels.empty() ? m_shape.width : m_levels.back().coarse;
}

}  // namespace dailies::trainer::vae

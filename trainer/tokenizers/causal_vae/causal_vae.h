#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"
#include "trainer/tokenizers/causal_vae/vae_halves.h"

#include <cstdint>

namespace dailies::trainer::vae {

/// What fixes the names and shapes of the weights; a checkpoint keeps it.
struct Shape {
    std::int64_t framesFactor = 4;
    std::int64_t spaceFactor = 8;
    std::int64_t channels = 16;
    std::int64_t width = 32;
    std::int64_t blocks = 1;

    static Shape of(const config::TrainConfig::Tokenizer& config);
    static Shape fromJson(const Json& json);  ///< throws when a key is missing
    Json toJson() const;
};

/// What the encoder knows of a clip's latents: independent normal distributions.
struct Posterior {
    at::Tensor mean;         ///< [n, channels, frames, height, width]
    at::Tensor logVariance;  ///< like mean

    /// Kullback-Leibler divergence from the standard normal distribution, summed over each clip: [n].
    at::Tensor divergence() const;
    /// mean + deviation · noise.
    at::Tensor sample(const at::Tensor& noise) const;
};

/// Causal 3-D variational autoencoder (in the manner of Wan and Cosmos): residual blocks of convolutions that
/// look back in time only, attention within frames at the lowest resolution. A function of its weights.
/// `encode` is encodeCoarse after encodeFine, `decode` is decodeFine after decodeCoarse.
class CausalVae : public VaeHalves {
public:
    explicit CausalVae(const Shape& shape);

    const Shape& shape() const { return m_shape; }
    Params initialWeights(std::int64_t seed) const;

    Posterior encode(const Params& weights, const at::Tensor& clips, StreamState& memory) const;
    at::Tensor decode(const Params& weights, const at::Tensor& latents, StreamState& memory) const;

    at::Tensor encodeFine(const Params& weights, const at::Tensor& clips, StreamState& memory) const override;
    Posterior encodeCoarse(const Params& weights, const at::Tensor& features, StreamState& memory) const;
    at::Tensor encodeMean(const Params& weights, const at::Tensor& features,
                          StreamState& memory) const override {
        return encodeCoarse(weights, features, memory).mean;
    }
    at::Tensor decodeCoarse(const Params& weights, const at::Tensor& latents,
                            StreamState& memory) const override;
    at::Tensor decodeFine(const Params& weights, const at::Tensor& features,
                          StreamState& memory) const override;

    std::int64_t spaceFactor() const override { return m_shape.spaceFactor; }
    std::int64_t encoderReach() const override;
    std::int64_t decoderReach() const override;

private:
    std::int64_t coarsest() const;
    struct Level {
        std::int64_t fine = 0, coarse = 0;  ///< channels above and below the change of resolution
        bool frames = false;                ///< whether it changes the number of frames too
    };

    Shape m_shape;
    std::vector<Level> m_levels;  ///< from full resolution down
};

}  // namespace dailies::trainer::vae

#pragma once

#include "trainer/models/layers/attention.h"
#include "trainer/models/layers/mlp.h"
#include "trainer/models/layers/noise_modulation.h"
#include "trainer/models/layers/patches.h"
#include "trainer/models/model_family.h"

#include <memory>

namespace dailies::trainer {

/// The transformer of Wan 2.x: attention over the whole clip with one RMS norm across all heads, rotary
/// positions on neighbouring channels, biases everywhere; one projection of the noise level shared by all
/// blocks plus a table in each, for self-attention and MLP; attention to the caption after a plain layer
/// norm, not gated. Captions that come as words are attended to word by word; embeddings by their mask, or in
/// a fixed number of places without one (`model.text_places`, 512 in the published models). Where an encoder
/// of pictures sees the image that clips begin with, as in Wan 2.1's image to video, its tokens are attended
/// to beside the caption. Frames that are given in place, as in 2.2's 5B, are told no noise.
class Wan : public Model {
public:
    Wan(const ModelShape& shape, at::Device device);

    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    std::int64_t tokensPerClip(const ClipSize& size) const override;
    Flops flops(const ClipSize& size, std::int64_t textTokens) const override;
    std::vector<TpRule> tpPlan() const override;
    std::vector<DiffusersWeight> diffusersWeights() const override;
    Json diffusersConfig() const override;

protected:
    void declareWeights(WeightInitializer& make) const override;

private:
    class BlockByBlock;

    /// What is the same for all blocks of one forward pass.
    struct Pass {
        layers::SequenceLayout layout;
        layers::RopeTable rope;
        layers::TextContext text;
        at::Tensor image;  ///< [clips, tokens, width]; undefined where the model reads none
        at::Tensor clean;  ///< `NoiseModulation::Levels`'
    };

    layers::TextContext context(const Params& weights, const TextInput& text) const;
    at::Tensor imageContext(const Params& weights, const ModelInput& input) const;
    at::Tensor block(const Params& weights, std::int64_t index, const at::Tensor& tokens,
                     const layers::NoiseModulation::Levels& levels,
                     const std::shared_ptr<const Pass>& pass) const;

    layers::Patches m_patches;
    layers::NoiseModulation m_modulation;
    layers::SelfAttention m_attention;
    layers::CrossAttention m_cross;
    layers::Mlp m_mlp;
    layers::Rotary m_rotary;
};

}  // namespace dailies::trainer

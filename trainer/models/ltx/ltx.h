#pragma once

#include "trainer/models/layers/attention.h"
#include "trainer/models/layers/mlp.h"
#include "trainer/models/layers/noise_modulation.h"
#include "trainer/models/layers/patches.h"
#include "trainer/models/model_family.h"

#include <memory>

namespace dailies::trainer {

/// The transformer of LTX-Video (HaCohen et al. 2024): attention over the whole clip, modulated as in Wan,
/// behind RMS norms without gains; rotary positions in seconds and pixels, over all heads' channels together;
/// attention to the caption's own tokens, neither normed before nor gated. Frames that are given in place are
/// told no noise.
class Ltx : public Model {
public:
    Ltx(const ModelShape& shape, at::Device device);

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
        at::Tensor clean;  ///< `NoiseModulation::Levels`'
    };

    layers::TextContext context(const Params& weights, const TextInput& text) const;
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

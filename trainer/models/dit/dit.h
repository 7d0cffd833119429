#pragma once

#include "trainer/models/layers/adaln.h"
#include "trainer/models/layers/attention.h"
#include "trainer/models/layers/mlp.h"
#include "trainer/models/layers/patches.h"
#include "trainer/models/model_family.h"

#include <memory>
#include <optional>

namespace dailies::trainer {

/// A diffusion transformer (Peebles & Xie 2023) on 3-D patches with attention over all tokens of the clip.
/// Time steers every block through AdaLN; so do captions that come as words, while embeddings of a text
/// encoder are read by cross-attention. Those of an encoder that is trained along do both (their mean steers,
/// as pooled embeddings do in Stable Diffusion 3): conditioning is learned in a fraction of the steps.
/// Queries and keys are RMS-normalised per head and turned by 3-D RoPE. With `adaln` lora, `bias` false and
/// `positions` none it is the transformer of Cosmos.
class Dit : public Model {
public:
    Dit(const ModelShape& shape, at::Device device);

    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    std::int64_t tokensPerClip(const ClipSize& size) const override;
    Flops flops(const ClipSize& size, std::int64_t textTokens) const override;
    std::vector<TpRule> tpPlan() const override;
    std::vector<DiffusersWeight> diffusersWeights() const override;
    Json diffusersConfig() const override;

protected:
    void declareWeights(WeightInitializer& make) const override;

    /// Which tokens the attention of a block spans.
    virtual layers::Span span(std::int64_t block) const;

private:
    class BlockByBlock;

    /// What is the same for all blocks of one forward pass.
    struct Pass {
        layers::SequenceLayout layout;
        layers::RopeTable rope;
        layers::RopeTable reshardedRope;  ///< of blocks for which ranks exchange frames for places
        layers::TextContext text;         ///< undefined tokens: no cross-attention
    };

    bool hasText() const { return m_cross.has_value(); }
    /// What the caption adds to the time, [clips, width]; undefined where only cross-attention reads it.
    at::Tensor captionConditioning(const Params& weights, const TextInput& words,
                                   const layers::TextContext& text) const;
    std::shared_ptr<const Pass> passOf(const ModelInput& input) const;
    layers::AdaLn::Conditioning conditioning(const Params& weights, const ModelInput& input,
                                             const layers::TextContext& text) const;
    at::Tensor embedded(const Params& weights, const ClipGroup& group, const layers::SequenceLayout& layout,
                        const layers::TokenGrid& grid) const;
    at::Tensor block(const Params& weights, std::int64_t index, const at::Tensor& tokens,
                     const layers::AdaLn::Conditioning& conditioning,
                     const std::shared_ptr<const Pass>& pass) const;

    layers::Patches m_patches;
    layers::TokenGrid m_grid;  ///< of clips of the data's size: what learned positions fit
    layers::AdaLn m_adaln;
    layers::SelfAttention m_attention;
    std::optional<layers::CrossAttention> m_cross;
    layers::Mlp m_mlp;
    layers::Rotary m_rotary;
};

}  // namespace dailies::trainer

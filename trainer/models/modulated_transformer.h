#pragma once

#include "trainer/models/layers/attention.h"
#include "trainer/models/layers/mlp.h"
#include "trainer/models/layers/noise_modulation.h"
#include "trainer/models/layers/patches.h"
#include "trainer/models/model_family.h"

#include <memory>

namespace dailies::trainer {

/// What Wan and LTX-Video have in common: attention over the whole clip with one RMS norm across all heads
/// and biases everywhere, modulated by the noise level, which frames that are given in place are told nothing
/// of; attention to the caption, brought to the model's width before the blocks, not gated. Captions that
/// come as words are attended to word by word; embeddings by their mask, or in a fixed number of places
/// without one. A family says how its tokens are turned and normed, and how others call its weights.
class ModulatedTransformer : public Model {
public:
    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    std::int64_t tokensPerClip(const ClipSize& size) const override;
    Flops flops(const ClipSize& size, std::int64_t textTokens) const override;
    std::vector<TpRule> tpPlan() const override;

protected:
    /// `headNormEpsilon`: of the norms of queries and keys.
    ModulatedTransformer(const ModelShape& shape, double headNormEpsilon);

    void declareWeights(WeightInitializer& make) const override;

    virtual layers::RopeTable rope(const layers::SequenceLayout& layout) const = 0;
    /// (1 + scale) · norm(x) + shift, before self-attention and before the MLP.
    virtual at::Tensor normed(const at::Tensor& x, const at::Tensor& shift,
                              const at::Tensor& scale) const = 0;
    /// What attention to the caption reads; `block` is the name of its weights.
    virtual at::Tensor beforeText(const Params& weights, const std::string& block,
                                  const at::Tensor& x) const = 0;
    virtual void declareBeforeText(WeightInitializer&, const std::string& /*block*/) const {}
    /// What is attended to beside the caption, [clips, tokens, width]; undefined: nothing.
    virtual at::Tensor image(const Params&, const ModelInput&) const { return {}; }
    virtual void declareImage(WeightInitializer&) const {}
    /// The clips as tokens of the layout, of the model's width.
    virtual at::Tensor embedded(const Params& weights, const std::vector<ClipGroup>& groups,
                                const layers::SequenceLayout& layout) const {
        return m_patches.embedded(weights, groups, layout);
    }

    const layers::Patches& patches() const { return m_patches; }
    std::int64_t mlpWidth() const { return m_mlp.hidden; }

    static std::string blockName(std::int64_t index) { return "blocks." + std::to_string(index); }
    /// Weight and bias of a layer, as diffusers and as we call it.
    static void addNames(std::vector<DiffusersWeight>& names, const std::string& theirs,
                         const std::string& ours);
    /// One of several layers of the model's width that are one of ours.
    void addRowNames(std::vector<DiffusersWeight>& names, const std::string& theirs, const std::string& ours,
                     std::int64_t part) const;
    /// Both attentions of a block, whose names in diffusers begin with `theirs`.
    void addAttentionNames(std::vector<DiffusersWeight>& names, const std::string& theirs,
                           const std::string& ours) const;

private:
    class BlockByBlock;

    /// What is the same for all blocks of one forward pass.
    struct Pass {
        layers::SequenceLayout layout;
        layers::RopeTable rope;
        layers::TextContext text;
        at::Tensor image;
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
};

}  // namespace dailies::trainer

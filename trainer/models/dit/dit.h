#pragma once

#include "trainer/models/dit/rope.h"
#include "trainer/models/model_family.h"

namespace dailies::trainer {

/// A diffusion transformer (Peebles & Xie 2023) on 3-D patches with attention over all tokens of the clip.
/// Time and caption steer every block through AdaLN: one projection shared by all blocks plus a learned table
/// for each (PixArt-α's AdaLN-single), zero at first, so that training starts from the identity. Queries and
/// keys are RMS-normalised per head, which keeps attention bounded at high learning rates, and turned by 3-D
/// RoPE.
class Dit : public Model {
public:
    Dit(const ModelShape& shape, at::Device device);

    Params initialWeights(std::int64_t seed) const override;
    std::vector<at::Tensor> forward(const Params& weights, const ModelInput& input) const override;
    std::int64_t tokensPerClip() const override { return m_gridFrames * m_gridRows * m_gridColumns; }

private:
    at::Tensor denoise(const Params& weights, const at::Tensor& clips, const at::Tensor& times,
                       const at::Tensor& captions) const;
    at::Tensor patchify(const at::Tensor& clips) const;
    at::Tensor unpatchify(const at::Tensor& tokens) const;
    at::Tensor condition(const Params& weights, const at::Tensor& times, const at::Tensor& captions) const;
    at::Tensor block(const Params& weights, const std::string& name, const at::Tensor& tokens,
                     const at::Tensor& sharedModulation) const;
    at::Tensor attention(const Params& weights, const std::string& name, const at::Tensor& tokens) const;
    at::Tensor mlp(const Params& weights, const std::string& name, const at::Tensor& tokens) const;

    ModelShape m_shape;
    std::int64_t m_gridFrames, m_gridRows, m_gridColumns;
    std::int64_t m_patchChannels;
    Rope3d m_rope;
    at::Tensor m_timeFrequencies;  ///< [width / 2]
};

}  // namespace dailies::trainer

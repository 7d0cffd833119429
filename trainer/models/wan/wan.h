#pragma once

#include "trainer/models/modulated_transformer.h"

namespace dailies::trainer {

/// The transformer of Wan 2.x: layer norms, rotary positions on neighbouring channels of each head, and a
/// plain layer norm before attention to the caption, which takes 512 places in the published models
/// (`model.text_places`). Where an encoder of pictures sees the image that clips begin with, as in Wan 2.1's
/// image to video, its tokens are attended to beside the caption; those of first and last image have a
/// learned position each, as in its FLF2V. Frames that are given in place are those of
/// 2.2's 5B.
class Wan : public ModulatedTransformer {
public:
    Wan(const ModelShape& shape, at::Device device);

    std::vector<DiffusersWeight> diffusersWeights() const override;
    Json diffusersConfig() const override;

protected:
    layers::RopeTable rope(const layers::SequenceLayout& layout) const override;
    at::Tensor normed(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) const override;
    at::Tensor beforeText(const Params& weights, const std::string& block,
                          const at::Tensor& x) const override;
    void declareBeforeText(WeightInitializer& make, const std::string& block) const override;
    at::Tensor image(const Params& weights, const ModelInput& input) const override;
    void declareImage(WeightInitializer& make) const override;

private:
    bool hasImagePositions() const;

    layers::Rotary m_rotary;
};

}  // namespace dailies::trainer

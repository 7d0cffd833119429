#pragma once

#include "trainer/models/modulated_transformer.h"

namespace dailies::trainer {

/// The transformer of LTX-Video (HaCohen et al. 2024): RMS norms without gains, none before attention to the
/// caption; rotary positions in seconds and pixels, over all heads' channels together.
class Ltx : public ModulatedTransformer {
public:
    Ltx(const ModelShape& shape, at::Device device);

    std::vector<DiffusersWeight> diffusersWeights() const override;
    Json diffusersConfig() const override;

protected:
    layers::RopeTable rope(const layers::SequenceLayout& layout) const override;
    at::Tensor normed(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) const override;
    at::Tensor beforeText(const Params& weights, const std::string& block,
                          const at::Tensor& x) const override;

private:
    layers::Rotary m_rotary;
};

}  // namespace dailies::trainer

#pragma once

#include "core/config/train_config.h"
#include "trainer/lora/base_weights.h"
#include "trainer/models/model_family.h"

#include <memory>

namespace dailies::trainer {

/// The other model of a pair of which one denoises clips of much noise and the other those of little (Wan
/// 2.2's A14B): with it, frozen, a run that trains one of them shows clips. One thread.
class OtherExpert {
public:
    /// Reads `sampling.other_expert`, a model of the same shape. On a GPU its blocks are streamed. Throws
    /// `InputError`.
    OtherExpert(const config::TrainConfig& config, const ModelShape& shape, at::Device device);

    /// Whether clips at this level of noise are its own: those that the run does not train.
    bool denoises(double level) const { return level < m_from || level >= m_to; }

    const Model& model() const { return *m_model; }
    const Params& weights() const { return m_base.weights; }

private:
    double m_from, m_to;  ///< levels of the run's own model
    std::unique_ptr<Model> m_model;
    lora::BaseWeights m_base;
};

/// Null where the configuration names none.
std::unique_ptr<OtherExpert> makeOtherExpert(const config::TrainConfig& config, const ModelShape& shape,
                                             at::Device device);

}  // namespace dailies::trainer

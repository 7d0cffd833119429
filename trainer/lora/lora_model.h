#pragma once

#include "trainer/lora/lora_layers.h"
#include "trainer/models/layers/lora.h"

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace dailies::trainer::lora {

/// The frozen weights that an adapter is trained on top of.
struct LoraBase {
    Params weights;        ///< on the device, without gradients
    std::string identity;  ///< of their values: other weights have another
};

/// Reads them one by one with `read`, whole and float32. With `bf16` the matrices that compute in bfloat16
/// anyhow are kept so, which halves the memory and changes no result.
LoraBase loadBase(const Model& model, const WeightInitializer::Read& read, at::Device device, bool bf16);

/// A model whose weights are the factors of its adapters alone, so that whatever trains, averages, divides,
/// saves and restores a model's weights does so with an adapter. The base is a constant of it. Fresh factors
/// are as peft draws them, A uniform and B zero, which changes nothing of what the base computes.
class LoraModel : public Model {
public:
    /// Throws `InputError` for targets that name no layer. `base` may be empty where no pass is made.
    LoraModel(std::unique_ptr<Model> model, const config::TrainConfig::Lora& config, LoraBase base);

    const Model& baseModel() const { return *m_model; }
    double scale() const { return scaleOf(m_config); }
    const LoraBase& base() const { return m_base; }
    /// Those that have an adapter.
    const std::vector<LoraLayer>& layers() const { return m_layers; }
    /// shapeOf with this base.
    Json loraShape() const { return shapeOf(m_config, m_base.identity); }

    std::string text() const;  ///< in one sentence, for the run's log

    void declareWeights(WeightInitializer& make) const override;
    /// `weights` are those of the adapter.
    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    std::int64_t tokensPerClip(const ClipSize& size) const override { return m_model->tokensPerClip(size); }
    Flops flops(const ClipSize& size, std::int64_t textTokens) const override;

private:
    class Adapted;
    class Pass;

    std::shared_ptr<Adapted> adapted(const Params& weights) const;

    std::unique_ptr<Model> m_model;
    config::TrainConfig::Lora m_config;
    LoraBase m_base;
    std::vector<LoraLayer> m_layers;
    /// Base and factors together, for the weights that passes were begun with last: backward reads them after
    /// the pass is gone.
    mutable std::list<std::shared_ptr<Adapted>> m_adapted;
    mutable std::mutex m_mutex;
};

/// `weights` of the base with `adapter`'s factors multiplied out: W + scale · B · A, float32.
Params merged(const LoraModel& model, const Params& adapter);

/// What a configuration trains: `model` as it is where lora.rank is 0, else an adapter on top of the weights
/// that `base` gives.
std::unique_ptr<Model> withAdapter(std::unique_ptr<Model> model, const config::TrainConfig::Lora& config,
                                   const std::function<LoraBase(const Model&)>& base);

}  // namespace dailies::trainer::lora

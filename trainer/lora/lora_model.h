#pragma once

#include "trainer/lora/base_weights.h"
#include "trainer/lora/lora_layers.h"
#include "trainer/models/layers/lora.h"

#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer::lora {

/// A model whose weights are the factors of its adapters alone, and what it adds to its base
/// (`Model::addedParts`), so that whatever trains, averages, divides, saves and restores a model's weights
/// does so with an adapter. The base is a constant of it. Fresh factors
/// are as peft draws them, A uniform and B zero, which changes nothing of what the base computes.
class LoraModel : public Model {
public:
    /// Throws `InputError` for targets that name no layer. `base` may be empty where no pass is made.
    LoraModel(std::unique_ptr<Model> model, const config::TrainConfig::Lora& config, BaseWeights base);

    const Model& baseModel() const { return *m_model; }
    double scale() const { return scaleOf(m_config); }
    const BaseWeights& base() const { return m_base; }
    /// Those that have an adapter.
    const std::vector<LoraLayer>& layers() const { return m_layers; }
    /// shapeOf with this base.
    Json loraShape() const { return shapeOf(m_config, m_base.identity); }

    /// What the base alone puts out: `Model::forward`'s.
    std::vector<at::Tensor> baseOutputs(const ModelInput& input) const {
        return m_model->forward(m_base.weights, input);
    }

    Character prepared(const Params& weights, const Character& character) const override;

    /// What computes as if the adapter's scale were so many times as large. Shares tensors with `adapter`.
    Params atStrength(const Params& adapter, double strength) const;

    std::string text() const;  ///< in one sentence, for the run's log

    void declareWeights(WeightInitializer& make) const override;
    /// A matrix's outputs are divided with B, its inputs with A; the other factor is on every rank.
    std::vector<TpRule> tpPlan() const override;
    /// `weights` are those of the adapter.
    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    std::int64_t blocks() const override { return m_model->blocks(); }
    std::int64_t tokensPerClip(const ClipSize& size) const override { return m_model->tokensPerClip(size); }
    Flops flops(const ClipSize& size, std::int64_t textTokens) const override;

private:
    class Adapted;
    class Pass;

    std::shared_ptr<Adapted> adapted(const Params& weights) const;

    std::unique_ptr<Model> m_model;
    config::TrainConfig::Lora m_config;
    BaseWeights m_base;
    std::vector<LoraLayer> m_layers;
    mutable JoinedCache<Adapted> m_adapted;  ///< base and factors together
};

/// `weights` of the base with `adapter`'s factors multiplied out, W + scale · B · A, and what was trained
/// beside them; float32.
Params merged(const LoraModel& model, const Params& adapter);

}  // namespace dailies::trainer::lora

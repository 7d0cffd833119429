#include "trainer/lora/lora_model.h"

#include "core/base/counts.h"
#include "core/base/text.h"
#include "core/config/conditioning.h"
#include "core/config/family_traits.h"
#include "trainer/models/layers/tensor_parallel_comm.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dailies::trainer::lora {

/// The base's weights and an adapter's factors as one set, which the base's layers read.
class LoraModel::Adapted {
public:
    Adapted(const LoraModel& model, const Params& factors)
        : m_joined(model.m_base.weights, factors),
          m_lora(scaleOf(model.m_config)),
          m_dropout(model.m_config.dropout) {
        const auto ranks = factors.tensorParallel() ? factors.tensorParallel()->ranks() : 1;
        const auto all = loraLayers(*model.m_model);
        for (auto layer = all.begin(); layer != all.end();) {
            std::vector<layers::Lora::Matrix> matrices;
            bool any = false;
            const auto& name = layer->layer;
            for (; layer != all.end() && layer->layer == name; ++layer) {
                const bool has = factors.contains(layer->lowerName());
                const auto rows = layer->style == TpStyle::columnwise ? layer->rows / ranks : layer->rows;
                matrices.push_back({rows, has ? layer->adapter : std::string()});
                any = any || has;
            }
            if (any) m_lora.add(name, std::move(matrices));
        }
        m_joined.weights().setLora(&m_lora);
    }

    bool isOf(const Params& factors) const { return m_joined.isOf(factors); }

    const Params& weights(const std::vector<std::uint64_t>& dropoutKeys) {
        m_lora.setDropout(m_dropout, dropoutKeys);
        return m_joined.weights();
    }

private:
    JoinedWeights m_joined;
    layers::Lora m_lora;
    double m_dropout;
};

/// A pass of the base whose tokens have a gradient from the start: a block that is recomputed gets gradients
/// only through what it reads, and before the blocks nothing is trained but what the model adds.
class LoraModel::Pass : public ModelPass {
public:
    Pass(std::shared_ptr<Adapted> adapted, std::unique_ptr<ModelPass> pass)
        : m_adapted(std::move(adapted)), m_pass(std::move(pass)) {}

    at::Tensor embedded() const override {
        auto tokens = m_pass->embedded();
        const bool needsGradient = at::GradMode::is_enabled() && !tokens.requires_grad();
        return needsGradient ? tokens.detach().set_requires_grad(true) : tokens;
    }
    std::vector<std::int64_t> tokenSizes() const override { return m_pass->tokenSizes(); }
    at::Tensor block(std::int64_t index, const at::Tensor& tokens) const override {
        return m_pass->block(index, tokens);
    }
    std::vector<at::Tensor> output(const at::Tensor& tokens) const override { return m_pass->output(tokens); }

private:
    std::shared_ptr<Adapted> m_adapted;
    std::unique_ptr<ModelPass> m_pass;
};

LoraModel::LoraModel(std::unique_ptr<Model> model, const config::TrainConfig::Lora& config, BaseWeights base)
    : Model(model->shape()), m_model(std::move(model)), m_config(config), m_base(std::move(base)) {
    requireTargets(*m_model, m_config.targets);
    for (auto& layer : loraLayers(*m_model))
        if (isTargeted(layer, m_config.targets)) m_layers.push_back(std::move(layer));
}

std::string LoraModel::text() const {
    const auto trained = weightsOnMeta().elementCount(), frozen = m_base.weights.elementCount();
    return "The run trains an adapter (LoRA) of rank " + std::to_string(m_config.rank) + " and scale " +
           shortNumber(scale()) + " on " +
           pluralize(static_cast<long long>(m_layers.size()), "layer", "layers") + ": " +
           std::to_string(trained) + " weights" +
           (m_model->addedParts().empty() ? "" : ", among them those that the base lacks") + ", on top of " +
           std::to_string(frozen) + " that stay as they are.";
}

Params LoraModel::atStrength(const Params& adapter, double strength) const {
    Params scaled;
    for (const auto& layer : m_layers) {
        scaled.add(layer.lowerName(), adapter[layer.lowerName()]);
        scaled.add(layer.upperName(), adapter[layer.upperName()] * strength);
    }
    for (const auto& name : adapter.names())
        if (m_model->isAdded(name)) scaled.add(name, adapter[name]);
    return scaled;
}

void LoraModel::declareWeights(WeightInitializer& make) const {
    for (const auto& layer : m_layers) {
        const auto lower = layer.lowerName();
        // Kaiming's uniform with a = √5, as peft has it: within 1/√inputs
        make.uniform(lower, {m_config.rank, layer.inputs}, 1 / std::sqrt(static_cast<double>(layer.inputs)));
        make.zeros(layer.upperName(), {layer.rows, m_config.rank});
    }
    make.leaveOut([this](const std::string& name) { return !m_model->isAdded(name); },
                  [&] { m_model->declareWeights(make); });
}

std::vector<TpRule> LoraModel::tpPlan() const {
    std::vector<TpRule> rules;
    if (m_model->tpPlan().empty()) return rules;
    for (const auto& layer : m_layers)
        rules.push_back(
            {layer.adapter + (layer.style == TpStyle::columnwise ? ".lora_B" : ".lora_A"), layer.style});
    return rules;
}

Character LoraModel::prepared(const Params& weights, const Character& character) const {
    return m_model->prepared(adapted(weights)->weights({}), character);
}

std::shared_ptr<LoraModel::Adapted> LoraModel::adapted(const Params& weights) const {
    return m_adapted.of(weights, [&] { return std::make_shared<Adapted>(*this, weights); });
}

std::unique_ptr<ModelPass> LoraModel::begin(const Params& weights, const ModelInput& input) const {
    auto together = adapted(weights);
    auto pass = m_model->begin(together->weights(input.dropoutKeys), input);
    return std::make_unique<Pass>(std::move(together), std::move(pass));
}

Flops LoraModel::flops(const ClipSize& size, std::int64_t textTokens) const {
    auto flops = m_model->flops(size, textTokens);
    const auto tokens = m_model->tokensPerClip(size);
    const bool words = shape().textWidth == 0;
    const auto places = config::textPlaces(shape().model);
    if (words || places > 0) textTokens = words ? shape().captionTokens : places;
    // the base's matrices get no gradients, which are half of their backward pass, and before the blocks
    // there is none, or little in what the model adds
    flops.atInputs = flops.blocks + flops.text + 2 * flops.rest;
    for (const auto& layer : m_layers) {
        const bool readsText = layer.layer.ends_with(".key_value"),
                   readsImage = layer.layer.ends_with(".image_key_value");
        flops.blocks += 2 * m_config.rank * (layer.inputs + layer.rows) *
                        (readsText    ? textTokens
                         : readsImage ? config::imageTokens(shape().model)
                                      : tokens);
    }
    return flops;
}

Params merged(const LoraModel& model, const Params& adapter) {
    const at::NoGradGuard noGradients;
    const auto& base = model.base().weights;
    Params weights;
    for (const auto& name : base.names()) weights.add(name, base[name].to(at::kFloat, false, /*copy=*/true));
    for (const auto& name : adapter.names())
        if (model.baseModel().isAdded(name)) weights.add(name, adapter[name].to(at::kFloat));
    std::string last;
    std::int64_t row = 0;
    for (const auto& layer : loraLayers(model.baseModel())) {
        row = layer.layer == last ? row : 0;
        last = layer.layer;
        if (adapter.contains(layer.lowerName()))
            weights[layer.layer + ".weight"]
                .narrow(0, row, layer.rows)
                .add_(at::matmul(adapter[layer.upperName()], adapter[layer.lowerName()]), model.scale());
        row += layer.rows;
    }
    return weights;
}

}  // namespace dailies::trainer::lora

#include "trainer/lora/frozen_model.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/freeze.h"

namespace dailies::trainer::lora {

FrozenModel::FrozenModel(std::unique_ptr<Model> model, std::vector<std::string> patterns, BaseWeights base)
    : Model(model->shape()),
      m_model(std::move(model)),
      m_patterns(std::move(patterns)),
      m_base(std::move(base)) {
    const auto all = m_model->weightsOnMeta().names();
    std::size_t frozen = 0;
    for (const auto& name : all) frozen += config::isFrozen(m_patterns, name);
    if (frozen > 0 && frozen < all.size()) return;
    throw InputError("optimizer.freeze: found " + join(m_patterns, ", ") + ", which " +
                         (frozen == 0 ? "no weight matches" : "leaves no weight to train") +
                         "; expected parts of names such as " + all.front() + ".",
                     "\"*\" freezes all weights, and \"!PART\" behind it trains those again.");
}

Json FrozenModel::frozenShape() const {
    return {{"patterns", m_patterns}, {"base", m_base.identity}};
}

std::string FrozenModel::text() const {
    return "optimizer.freeze leaves " + std::to_string(m_base.weights.elementCount()) + " weights in " +
           pluralize(static_cast<long long>(m_base.weights.names().size()), "tensor", "tensors") +
           " as they are, and " + std::to_string(weightsOnMeta().elementCount()) + " are trained.";
}

void FrozenModel::declareWeights(WeightInitializer& make) const {
    make.leaveOut([this](const std::string& name) { return config::isFrozen(m_patterns, name); },
                  [&] { m_model->declareWeights(make); });
}

/// Keeps what its pass reads.
class FrozenModel::Pass : public ModelPass {
public:
    Pass(std::shared_ptr<JoinedWeights> joined, std::unique_ptr<ModelPass> pass)
        : m_joined(std::move(joined)), m_pass(std::move(pass)) {}

    at::Tensor embedded() const override { return m_pass->embedded(); }
    std::vector<std::int64_t> tokenSizes() const override { return m_pass->tokenSizes(); }
    at::Tensor block(std::int64_t index, const at::Tensor& tokens) const override {
        return m_pass->block(index, tokens);
    }
    std::vector<at::Tensor> output(const at::Tensor& tokens) const override { return m_pass->output(tokens); }

private:
    std::shared_ptr<JoinedWeights> m_joined;
    std::unique_ptr<ModelPass> m_pass;
};

std::unique_ptr<ModelPass> FrozenModel::begin(const Params& weights, const ModelInput& input) const {
    auto joined =
        m_joined.of(weights, [&] { return std::make_shared<JoinedWeights>(m_base.weights, weights); });
    auto pass = m_model->begin(joined->weights(), input);
    return std::make_unique<Pass>(std::move(joined), std::move(pass));
}

Character FrozenModel::prepared(const Params& weights, const Character& character) const {
    return m_model->prepared(whole(weights), character);
}

Params FrozenModel::whole(const Params& trained) const {
    auto all = JoinedWeights(m_base.weights, trained).weights();
    all.setUnshardHooks(nullptr);  // theirs end here; who asks has gathered them
    return all;
}

}  // namespace dailies::trainer::lora

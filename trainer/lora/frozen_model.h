#pragma once

#include "trainer/lora/base_weights.h"
#include "trainer/models/model_family.h"

#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer::lora {

/// A model of whose weights some stay as they are: its weights are the others alone, so that whatever trains,
/// averages, divides, saves and restores a model's weights holds nothing for those. They are a constant of
/// it.
class FrozenModel : public Model {
public:
    /// Throws `InputError` where the patterns freeze all weights or none. `base` may be empty where no pass
    /// is made.
    FrozenModel(std::unique_ptr<Model> model, std::vector<std::string> patterns, BaseWeights base);

    const Model& baseModel() const { return *m_model; }
    const BaseWeights& base() const { return m_base; }
    /// What a checkpoint keeps of it.
    Json frozenShape() const;
    std::string text() const;  ///< in one sentence, for the run's log

    void declareWeights(WeightInitializer& make) const override;
    /// `weights` are those that are trained.
    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    std::int64_t blocks() const override { return m_model->blocks(); }
    Character prepared(const Params& weights, const Character& character) const override;
    std::int64_t tokensPerClip(const ClipSize& size) const override { return m_model->tokensPerClip(size); }
    Flops flops(const ClipSize& size, std::int64_t textTokens) const override {
        return m_model->flops(size, textTokens);
    }

    /// All weights of the model, the frozen ones among them.
    Params whole(const Params& trained) const;

private:
    class Pass;

    std::unique_ptr<Model> m_model;
    std::vector<std::string> m_patterns;
    BaseWeights m_base;
    mutable JoinedCache<JoinedWeights> m_joined;
};

}  // namespace dailies::trainer::lora

#pragma once

#include "core/base/json.h"
#include "trainer/models/diffusers_names.h"
#include "trainer/models/flops.h"
#include "trainer/models/model_input.h"
#include "trainer/models/model_pass.h"
#include "trainer/models/model_shape.h"
#include "trainer/models/tp_plan.h"
#include "trainer/models/weight_initializer.h"
#include "trainer/tensors/params.h"

#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A denoiser of video clips: the interface that model families implement. It owns no weights.
class Model {
public:
    explicit Model(const ModelShape& shape) : m_shape(shape) {}
    virtual ~Model() = default;

    const ModelShape& shape() const { return m_shape; }

    /// Fresh weights on the CPU, or what `keep` keeps of each. Each weight is a function of (seed, its name),
    /// whatever else the model has.
    Params initialWeights(std::int64_t seed, const WeightInitializer::Keep& keep = {}) const;
    /// Weights that `read` gives one by one instead, or what `keep` keeps of each. What it leaves undefined
    /// is drawn.
    Params weightsFrom(const WeightInitializer::Read& read, const WeightInitializer::Keep& keep = {},
                       std::int64_t seed = 0) const;
    /// Their names and sizes only, on the meta device: for models larger than this machine.
    Params weightsOnMeta(const WeightInitializer::Keep& keep = {}) const;

    /// What the network puts out for each clip, as the objective reads it: one tensor a group, sized like its
    /// clips; on every rank that shares the input. With `model.recompute` the weights must live until the
    /// backward pass has ended.
    std::vector<at::Tensor> forward(const Params& weights, const ModelInput& input) const;

    /// The same block by block, for those that compute some of the blocks.
    virtual std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const = 0;

    /// How many blocks its passes have, from `embedded` to `output`.
    virtual std::int64_t blocks() const { return m_shape.model.depth; }

    /// The characters with what these weights make of their reference pictures and poses, for those who make
    /// several passes with them.
    virtual Character prepared(const Params&, const Character& character) const { return character; }

    virtual std::int64_t tokensPerClip(const ClipSize& size) const = 0;
    /// Of a clip of the shape's own size.
    std::int64_t tokensPerClip() const {
        return tokensPerClip({m_shape.frames, m_shape.height, m_shape.width});
    }

    /// The work of one forward pass of one clip, captions of `textTokens` tokens.
    virtual Flops flops(const ClipSize& size, std::int64_t textTokens) const = 0;

    /// How diffusers names and lays out these weights; empty where it has no model of this shape.
    virtual std::vector<DiffusersWeight> diffusersWeights() const { return {}; }
    /// The config.json from which diffusers builds its model for them.
    virtual Json diffusersConfig() const { return Json::object(); }

    /// How ranks divide its weights where they do (`layout.tp`); empty: they cannot.
    virtual std::vector<TpRule> tpPlan() const { return {}; }

    virtual void declareWeights(WeightInitializer& make) const = 0;

    /// What names of weights begin with that the published base does not have. A run that begins with the
    /// base draws them, and one that trains an adapter trains them whole beside it.
    virtual std::vector<std::string> addedParts() const { return {}; }
    bool isAdded(const std::string& weight) const;

private:
    ModelShape m_shape;
};

/// The model of `shape.model.family`, computing on `device`. Throws `InputError` for a family that this
/// trainer lacks.
std::unique_ptr<Model> makeModel(const ModelShape& shape, at::Device device);

/// The families that say how ranks divide their weights.
std::vector<std::string> familiesWithTensorParallel();

}  // namespace dailies::trainer

#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"
#include "trainer/models/params.h"

#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Everything that fixes names and shapes of a model's weights. A checkpoint keeps it and fits only a model
/// of the same.
struct ModelShape {
    config::TrainConfig::Model model;
    std::int64_t frames = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t captionTokens = 0;  ///< size of the vocabulary, with the empty caption's token

    Json toJson() const;
};

/// A denoiser of video clips: the interface that model families implement. It owns no weights.
class Model {
public:
    virtual ~Model() = default;

    /// Fresh weights on the CPU. Each weight is a function of (seed, its name), whatever else the model has.
    virtual Params initialWeights(std::int64_t seed) const = 0;

    /// @param clips     [batch, frames, height, width, 3]: scaled pixels, mixed with noise
    /// @param times     [batch]: share of noise, 0 … 1
    /// @param captions  [batch, captionTokens]: how often each token stands in the caption
    /// @return a tensor like `clips`: the clean clip or the velocity, as the objective reads it
    virtual at::Tensor forward(const Params& weights, const at::Tensor& clips, const at::Tensor& times,
                               const at::Tensor& captions) const = 0;

    virtual std::int64_t tokensPerClip() const = 0;
};

/// The model of `shape.model.family`, computing on `device`. Throws `InputError` for a family that this
/// trainer lacks.
std::unique_ptr<Model> makeModel(const ModelShape& shape, at::Device device);

}  // namespace dailies::trainer

#include "trainer/tokenizers/causal_vae/vae_tokenizer.h"

#include "core/base/error.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/checkpoint/tensor_files.h"
#include "trainer/tokenizers/causal_vae/tiles.h"
#include "trainer/tokenizers/weights_identity.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

struct KeptVae {
    vae::Shape shape;
    Params weights;
};

KeptVae readVae(const config::TrainConfig::Tokenizer& config, at::Device device) {
    if (config.checkpoint.empty())
        throw InputError("tokenizer.checkpoint: found nothing, expected a checkpoint of a VAE.",
                         "Train one: dailies-train train-vae --config config.json");
    const auto manifest = inspectCheckpoint(config.checkpoint);
    const auto& model = manifest.at("model");
    if (model.value("family", "") != "causal-vae")
        throw InputError("tokenizer.checkpoint: " + config.checkpoint + " holds a model of family \"" +
                             model.value("family", "") + "\", not a VAE.",
                         "Name a checkpoint that train-vae wrote.");
    KeptVae kept{vae::Shape::fromJson(model), {}};
    const auto index = indexOf(manifest);
    const auto& average = index.group("average");
    const auto read = readGroup(config.checkpoint, average.empty() ? index.group("weights") : average);
    for (const auto& name : read.names()) kept.weights.add(name, read[name].to(device));
    return kept;
}

std::string identityOfWeights(const vae::Shape& shape, const Params& weights) {
    return weightsIdentity("causal-vae", shape.toJson().dump(), weights);
}

}  // namespace

VaeTokenizer::VaeTokenizer(const config::TrainConfig::Tokenizer& config, vae::Shape shape, Params weights)
    : Tokenizer(config),
      m_vae(shape),
      m_weights(std::move(weights)),
      m_identity(identityOfWeights(shape, m_weights)) {}

VaeTokenizer::VaeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device)
    : Tokenizer(config), m_vae(vae::Shape::of(config)) {
    auto kept = readVae(config, device);
    requireFactors(kept.shape.framesFactor, kept.shape.spaceFactor, kept.shape.channels, config.checkpoint);
    m_vae = vae::CausalVae(kept.shape);
    m_weights = std::move(kept.weights);
    m_identity = identityOfWeights(kept.shape, m_weights);
}

at::Tensor VaeTokenizer::encodePlanes(const at::Tensor& clips) const {
    return vae::encodeInTiles(m_vae, m_weights, clips);
}

at::Tensor VaeTokenizer::decodePlanes(const at::Tensor& latents) const {
    return vae::decodeInTiles(m_vae, m_weights, latents);
}

at::Tensor VaeTokenizer::decodePlanesPiece(const at::Tensor& latents, StreamState& memory, bool) const {
    return vae::decodePiece(m_vae, m_weights, latents, memory);
}

}  // namespace dailies::trainer

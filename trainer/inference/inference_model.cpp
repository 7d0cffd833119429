#include "trainer/inference/inference_model.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/checkpoint/tensor_files.h"
#include "trainer/lora/checkpoint_base.h"
#include "trainer/lora/lora_model.h"
#include "trainer/lora/trained_part.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/runtime/device.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

namespace dailies::trainer {

namespace {

/// The configuration of the run that wrote the checkpoint.
config::TrainConfig sampledConfig(const std::filesystem::path& checkpoint, const Json& manifest) {
    const auto refuse = [&](const std::string& why) {
        throw InputError("The checkpoint " + checkpoint.string() + " " + why);
    };
    if (manifest.at("model").value("family", "") == "causal-vae")
        refuse("holds a VAE, which makes no clips of prompts.");
    auto config = config::resolve(manifest.at("config"));
    if (!config.data.latents.empty() && config.tokenizer.kind == "none")
        refuse("learned latents that stood in its data; nothing turns them back into clips.");
    return config;
}

ModelShape sampledShape(const config::TrainConfig& config, const Json& saved, std::int64_t captionTokens,
                        std::int64_t textWidth, std::int64_t imageWidth) {
    auto shape = ModelShape::of(config);
    shape.captionTokens = captionTokens;
    shape.channels = saved.value("channels", std::int64_t{3});
    shape.textWidth = textWidth;
    shape.imageWidth = imageWidth;
    return shape;
}

at::Device sampledDevice(const config::TrainConfig& config, std::int64_t localRank) {
    at::set_num_threads(static_cast<int>(config.runtime.threads));
    return chooseDevice(config.runtime.device, localRank);
}

}  // namespace

InferenceModel::InferenceModel(const std::filesystem::path& checkpoint, std::int64_t localRank) {
    const auto manifest = inspectCheckpoint(checkpoint);
    m_config = sampledConfig(checkpoint, manifest);
    m_device = sampledDevice(m_config, localRank);
    m_step = manifest.at("step").get<std::int64_t>();
    const auto& data = manifest.at("data");
    m_vocabulary = Vocabulary(data.at("vocabulary").get<std::vector<std::string>>());
    m_scale = {numbersFromJson(data.at("pixel_mean")), numbersFromJson(data.at("pixel_deviation"))};
    m_tokenizer = makeTokenizer(m_config.tokenizer, m_device);
    if (const auto identity = m_tokenizer ? m_tokenizer->identity() : "";
        identity != data.value("tokenizer", ""))
        throw InputError("The checkpoint " + checkpoint.string() +
                             " learned the latents of another tokenizer than " +
                             m_config.tokenizer.checkpoint + m_config.tokenizer.weights +
                             m_config.tokenizer.decoder + " is now.",
                         "Put the tokenizer back that the run was trained with.");
    m_conditionEncoder = makeConditionEncoder(m_config.model, m_tokenizer.get(), m_device);
    if (imageEncoderOf(m_conditionEncoder.get()) != data.value("image_encoder", ""))
        throw InputError("The checkpoint " + checkpoint.string() +
                             " learned what another image encoder sees than " + m_config.model.image_encoder +
                             " is now.",
                         "Put the image encoder back that the run was trained with.");
    m_text = makeTextEncoder(
        m_config, m_vocabulary,
        m_config.data.text_embeddings.empty() ? 0 : manifest.at("model").value("text_width", std::int64_t{0}),
        m_device, m_config.data.cache);
    if (data.value("expert", false) && m_config.sampling.other_expert.empty())
        throw InputError(
            "The checkpoint " + checkpoint.string() +
                " is one of two models, each for a part of the noise, and its run names no other one.",
            "Go on with the run under sampling.other_expert: its next checkpoint can be sampled.");
    const auto shape = sampledShape(m_config, manifest.at("model"), m_vocabulary.tokenCount(),
                                    m_text->width(), m_conditionEncoder ? m_conditionEncoder->width() : 0);
    m_model = makeModelWithTextEncoder(shape, m_device);
    m_otherExpert = makeOtherExpert(m_config, shape, m_device);
    m_model = lora::trainedPart(std::move(m_model), m_config, [&](const Model& model) {
        return lora::baseOfCheckpoint(checkpoint, manifest, model, m_device, lora::KeptBase::AsInRun);
    });
    const auto index = indexOf(manifest);
    const auto& average = index.group("average");
    const auto weights = readGroup(checkpoint, average.empty() ? index.group("weights") : average);
    for (const auto& name : weights.names()) m_weights.add(name, weights[name].to(m_device));
    if (m_config.data.source == "shapes" || m_config.data.source == "figures")
        m_generator = makeDataSource(m_config);
}

Params InferenceModel::weightsAt(double strength) const {
    const auto* adapted = dynamic_cast<const lora::LoraModel*>(m_model.get());
    if (!adapted)
        throw InputError("strength: found " + shortNumber(strength) +
                         ", expected none: the checkpoint of step " + std::to_string(m_step) +
                         " holds no adapter (LoRA).");
    return adapted->atStrength(m_weights, strength);
}

std::vector<std::string> InferenceModel::unknownWords(const std::string& prompt) const {
    const bool reads = m_text->isBagOfWords() && !config::isUnet(m_config.model);
    return reads ? m_vocabulary.unknownWords(prompt) : std::vector<std::string>{};
}

}  // namespace dailies::trainer

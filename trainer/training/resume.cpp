#include "trainer/training/resume.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/models/model_family.h"

#include <torch/types.h>

#include <string>
#include <vector>

namespace dailies::trainer {

std::optional<std::int64_t> agreedResumeStep(const Checkpoints& checkpoints, ProcessGroup& processGroup,
                                             at::Device device) {
    auto step = at::full({}, checkpoints.newest().value_or(-1), at::TensorOptions(device).dtype(at::kLong));
    processGroup.broadcastFromRank0(step);
    const auto agreed = step.item<std::int64_t>();
    return agreed < 0 ? std::nullopt : std::optional(agreed);
}

Vocabulary vocabularyOf(const DataSource& source, const Checkpoints& checkpoints,
                        std::optional<std::int64_t> resumeStep, const Json& trainedWith) {
    if (!resumeStep && trainedWith.contains("vocabulary"))
        return Vocabulary(trainedWith.at("vocabulary").get<std::vector<std::string>>());
    if (!resumeStep) return Vocabulary::ofCaptions(source.captions());
    return Vocabulary(
        checkpoints.manifest(*resumeStep).at("data").at("vocabulary").get<std::vector<std::string>>());
}

ValueScale scaleOf(const config::TrainConfig::Data& config, const DataSource& source,
                   const Checkpoints& checkpoints, std::optional<std::int64_t> resumeStep,
                   const Json& trainedWith) {
    const auto scaleIn = [](const Json& data) {
        return ValueScale{numbersFromJson(data.at("pixel_mean")),
                          numbersFromJson(data.at("pixel_deviation"))};
    };
    if (resumeStep) return scaleIn(checkpoints.manifest(*resumeStep).at("data"));
    if (config.latent_scale.empty() && trainedWith.contains("pixel_mean")) return scaleIn(trainedWith);
    if (config.latent_scale.empty()) return source.valueScale();
    return readLatentScale(config.latent_scale, source.latentChannels());
}

ResumedData dataOf(const config::TrainConfig& config, const DataSource& training,
                   const Checkpoints& checkpoints, std::optional<std::int64_t> resumeStep) {
    if (!resumeStep) return {DataPosition::atStartOf(training, config, 0), "", false};
    const auto manifest = checkpoints.manifest(*resumeStep);
    return resumedPosition(training, config, *resumeStep, manifest.at("data").value("position", Json()),
                           manifest.at("config"));
}

void logDataChanges(const ResumedData& data, RunLog& log) {
    if (!data.note.empty()) log.append(events::Message{data.startsOver ? "warning" : "info", data.note});
}

void requireSameTokenizer(const TrainingState& saved, const std::string& wanted) {
    const auto found = saved.data.value("tokenizer", "");
    if (found == wanted) return;
    throw InputError("The checkpoint of step " + std::to_string(saved.step) + " learned " +
                         (found.empty() ? "pixels" : "latents of another tokenizer") +
                         ", the config gives it " + (wanted.empty() ? "pixels." : "latents of this one."),
                     "Give the run the checkpoint's tokenizer, or start a new run.");
}

void requireInitialTokenizer(const Json& trainedWith, const std::string& wanted) {
    if (!trainedWith.contains("tokenizer") || trainedWith.at("tokenizer") == wanted) return;
    throw InputError(
        "model.init: these weights learned " +
            std::string(trainedWith.at("tokenizer") == "" ? "pixels" : "latents of another tokenizer") +
            ", the config gives the run " + (wanted.empty() ? "pixels." : "latents of this tokenizer."),
        "Give the run the tokenizer that the weights learned with.");
}

void requireInitialImageEncoder(const Json& trainedWith, const std::string& wanted) {
    if (!trainedWith.contains("image_encoder")) return;
    const auto& found = trainedWith.at("image_encoder");
    if (found == "" || wanted.empty() || found == wanted) return;
    throw InputError(
        "model.init: these weights learned what another image encoder sees than model.image_encoder is.",
        "Name the image encoder that the weights learned with.");
}

void requireSameImageEncoder(const TrainingState& saved, const std::string& wanted) {
    const auto found = saved.data.value("image_encoder", "");
    if (found.empty() || wanted.empty() || found == wanted) return;
    throw InputError("The checkpoint of step " + std::to_string(saved.step) +
                         " learned what another image encoder sees than model.image_encoder is.",
                     "Give the run the checkpoint's image encoder, or start a new run.");
}

void requireSameShape(const TrainingState& saved, const Json& wanted) {
    const auto differences = shapeDifferences(saved.model, wanted);
    if (differences.empty()) return;
    throw InputError("The checkpoint of step " + std::to_string(saved.step) +
                         " has another model: " + join(differences, "; ") + ".",
                     "Give the run the checkpoint's model, or start a new run.");
}

void requireSameOptimizer(const TrainingState& saved, const config::TrainConfig::Optimizer& wanted) {
    const auto found = saved.config.at("optimizer").at("name").get<std::string>();
    if (found == wanted.name) return;
    throw InputError("The checkpoint of step " + std::to_string(saved.step) +
                         " has the moments of optimizer.name " + found + ", the config names " + wanted.name +
                         ".",
                     "Give the run the checkpoint's optimizer, or start a new run.");
}

void copyInto(const Params& target, const Params& source) {
    const at::NoGradGuard noGradients;
    for (const auto& name : target.names()) {
        auto tensor = target[name].detach();
        if (tensor.sizes() != source[name].sizes())
            throw Error("The checkpoint's " + name + " has another size than the model's.");
        tensor.copy_(source[name]);
    }
}

}  // namespace dailies::trainer

#include "trainer/models/animate/animate.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/planner/unet_count.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

std::vector<unet::PoseGuider> guidersOf(const ModelShape& shape) {
    const auto& model = shape.model;
    unet::PoseGuider guider;
    guider.sizes.widths = planner::guiderWidths(model.width);
    guider.sizes.outputs = model.width;
    guider.shrinks = shape.latentPixels * model.patch_size;
    guider.prefix = "guider.";
    if (model.guidance_types.empty()) return {guider};
    guider.sizes.attends = true;
    guider.groups = unet::normGroups(guider.sizes.widths.back());
    std::vector<unet::PoseGuider> guiders;
    for (const auto& type : model.guidance_types) {
        guider.prefix = guidanceEncoderName(type) + ".";
        guiders.push_back(guider);
    }
    return guiders;
}

}  // namespace

std::string guidanceEncoderName(const std::string& type) {
    return "guidance_encoder_" + type;
}

unet::UnetSizes denoiserSizes(const ModelShape& shape) {
    const auto& model = shape.model;
    const auto inputs = shape.channels * model.patch_size * model.patch_size;
    unet::UnetSizes sizes{.inputs = inputs,
                          .outputs = inputs,
                          .levels = unet::publishedLevels(model),
                          .context = shape.imageWidth,
                          .heads = model.heads,
                          .groups = unet::normGroups(model.width)};
    if (model.motion == "v1") sizes.motion = {.places = 24, .middle = false};
    if (model.motion == "v2") sizes.motion = {.places = 32, .middle = true};
    return sizes;
}

unet::UnetSizes referenceNetSizes(const ModelShape& shape) {
    auto sizes = denoiserSizes(shape);
    sizes.outputs = 0;
    sizes.motion = {};
    return sizes;
}

class Animate::Pass : public unet::UnetModelPass {
public:
    Pass(const Animate& model, const Params& weights, const ModelInput& input)
        : UnetModelPass(model, model.requireCharacters(input)),
          m_model(model),
          m_weights(weights),
          m_times(input.times) {}

private:
    at::Tensor denoised(const at::Tensor& places) const override {
        const auto& model = m_model.shape().model;
        const auto& character = group().character;
        return m_model.m_denoiser(
            m_weights,
            {.latents = places,
             .times = m_times * model.time_scale,
             .context = character.embedding,
             .added = m_model.guided(m_weights, character),
             .references = character.tokens.empty() ? m_model.bankOf(m_weights, character) : character.tokens,
             .referenced = unet::haveReference(character),
             .recompute = model.recompute != "none"});
    }

    const Animate& m_model;
    const Params& m_weights;
    at::Tensor m_times;
};

Animate::Animate(const ModelShape& shape, at::Device)
    : UnetModel(shape),
      m_denoiser(denoiserSizes(shape), false, "denoiser."),
      m_reference(referenceNetSizes(shape), false, "reference."),
      m_guiders(guidersOf(shape)) {}

std::unique_ptr<ModelPass> Animate::begin(const Params& weights, const ModelInput& input) const {
    return std::make_unique<Pass>(*this, weights, input);
}

unet::ReferenceBank Animate::bankOf(const Params& weights, const Character& character) const {
    const auto pictures = unet::referencePictures(character);
    return m_reference.referencesOf(
        weights, {.latents = unet::toPlaces(pictures, shape().model.patch_size),
                  .times = at::zeros({pictures.size(0)}, pictures.options().dtype(at::kFloat)),
                  .context = character.embedding,
                  .recompute = shape().model.recompute != "none"});
}

at::Tensor Animate::guided(const Params& weights, const Character& character) const {
    if (character.guided.defined()) return character.guided.transpose(1, 2);
    const auto drawings = character.poses.permute({0, 4, 1, 2, 3});
    const auto kinds = static_cast<std::int64_t>(m_guiders.size());
    const auto colours = m_guiders.front().sizes.colours;
    if (drawings.size(1) != kinds * colours)
        throw Error("The model reads " + pluralize(kinds, "kind", "kinds") +
                    " of drawings, and the batch has " + std::to_string(drawings.size(1) / colours) + ".");
    at::Tensor sum;
    for (std::int64_t i = 0; i < kinds; ++i) {
        const auto made =
            m_guiders[static_cast<std::size_t>(i)](weights, drawings.narrow(1, i * colours, colours));
        sum = sum.defined() ? sum + made : made;
    }
    return sum;
}

Character Animate::prepared(const Params& weights, const Character& character) const {
    auto read = character;
    read.tokens = bankOf(weights, character);
    read.guided = guided(weights, character).transpose(1, 2);
    return read;
}

void Animate::declareWeights(WeightInitializer& make) const {
    m_denoiser.declareWeights(make);
    m_reference.declareWeights(make);
    for (const auto& guider : m_guiders) guider.declareWeights(make);
}

}  // namespace dailies::trainer

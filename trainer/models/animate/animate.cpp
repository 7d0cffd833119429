#include "trainer/models/animate/animate.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/planner/animate.h"

#include <torch/types.h>

#include <numeric>

namespace dailies::trainer {

namespace {

/// Groups of the norms: 32, as published, but none of fewer than 4 channels in models narrower than 128.
std::int64_t normGroups(std::int64_t width) {
    constexpr std::int64_t kPublished = 32, kChannels = 4;
    return std::gcd(width >= kPublished * kChannels ? width : width / kChannels, kPublished);
}

/// [n, frames, height, width, channels] → [n, channels · size², frames, height / size, width / size].
at::Tensor toPlaces(const at::Tensor& clips, std::int64_t size) {
    return at::pixel_unshuffle(clips.permute({0, 1, 4, 2, 3}), size).transpose(1, 2);
}

/// Back again.
at::Tensor toClips(const at::Tensor& places, std::int64_t size) {
    return at::pixel_shuffle(places.transpose(1, 2), size).permute({0, 1, 3, 4, 2});
}

std::vector<unet::PoseGuider> guidersOf(const ModelShape& shape) {
    const auto& model = shape.model;
    unet::PoseGuider guider;
    guider.sizes.widths = planner::guiderWidths(model.width);
    guider.sizes.outputs = model.width;
    guider.shrinks = shape.latentPixels * model.patch_size;
    guider.prefix = "guider.";
    if (model.guidance_types.empty()) return {guider};
    guider.sizes.attends = true;
    guider.groups = normGroups(guider.sizes.widths.back());
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
    const auto inputs = shape.channels * model.patch_size * model.patch_size, width = model.width;
    unet::UnetSizes sizes{.inputs = inputs,
                          .outputs = inputs,
                          .channels = {width, 2 * width, 4 * width, 4 * width},
                          .blocks = model.depth,
                          .context = shape.imageWidth,
                          .heads = model.heads,
                          .groups = normGroups(width)};
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

class Animate::Pass : public ModelPass {
public:
    Pass(const Animate& model, const Params& weights, const ModelInput& input)
        : m_model(model), m_weights(weights), m_times(input.times), m_group(input.groups.front()) {
        if (input.groups.size() > 1) throw Error("Clips of several sizes cannot be animated in one pass.");
        if (!m_group.character.defined())
            throw Error("The model animates a character, and the batch has none.");
        if (m_group.character.embedding.defined() != (model.shape().imageWidth > 0))
            throw Error("The model and the batch disagree on the embeddings of reference pictures.");
    }

    at::Tensor embedded() const override { return toPlaces(m_group.clips, m_model.shape().model.patch_size); }
    std::vector<std::int64_t> tokenSizes() const override { return embedded().sizes().vec(); }
    at::Tensor block(std::int64_t, const at::Tensor& places) const override { return places; }
    std::vector<at::Tensor> output(const at::Tensor& places) const override {
        const auto& model = m_model.shape().model;
        const auto& character = m_group.character;
        const unet::UnetInput input{
            .latents = places,
            .times = m_times * model.time_scale,
            .context = character.embedding,
            .added = m_model.guided(m_weights, character),
            .references = character.tokens.empty() ? m_model.bankOf(m_weights, character) : character.tokens,
            .referenced = character.reference.select(-1, 0).flatten(1).amax(1) > 0,
            .recompute = model.recompute != "none"};
        return {toClips(m_model.m_denoiser(m_weights, input), model.patch_size)};
    }

private:
    const Animate& m_model;
    const Params& m_weights;
    at::Tensor m_times;
    ClipGroup m_group;
};

Animate::Animate(const ModelShape& shape, at::Device)
    : Model(shape),
      m_denoiser(denoiserSizes(shape), false, "denoiser."),
      m_reference(referenceNetSizes(shape), false, "reference."),
      m_guiders(guidersOf(shape)) {}

std::unique_ptr<ModelPass> Animate::begin(const Params& weights, const ModelInput& input) const {
    return std::make_unique<Pass>(*this, weights, input);
}

unet::ReferenceBank Animate::bankOf(const Params& weights, const Character& character) const {
    const auto pictures = character.reference.narrow(-1, 1, shape().channels).unsqueeze(1);
    return m_reference.referencesOf(
        weights, {.latents = toPlaces(pictures, shape().model.patch_size),
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

std::int64_t Animate::tokensPerClip(const ClipSize& size) const {
    const auto side = shape().model.patch_size;
    return size.frames * (size.height / side) * (size.width / side);
}

Flops Animate::flops(const ClipSize& size, std::int64_t) const {
    config::TrainConfig config;
    config.model = shape().model;
    if (shape().latentPixels > 1) {
        config.tokenizer.kind = "sd_vae";
        config.tokenizer.space_factor = shape().latentPixels;
    }
    const auto count =
        planner::animateCount(config, {.channels = shape().channels, .imageWidth = shape().imageWidth},
                              {size.frames, size.height, size.width, tokensPerClip(size)});
    Flops flops;
    flops.blocks = static_cast<std::int64_t>(count.layers);
    flops.attention = static_cast<std::int64_t>(count.attention);
    flops.rest = static_cast<std::int64_t>(count.ends);
    flops.atInputs = static_cast<std::int64_t>(count.atInputs);
    return flops;
}

void Animate::declareWeights(WeightInitializer& make) const {
    m_denoiser.declareWeights(make);
    m_reference.declareWeights(make);
    for (const auto& guider : m_guiders) guider.declareWeights(make);
}

}  // namespace dailies::trainer

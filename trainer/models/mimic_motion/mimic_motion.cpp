#include "trainer/models/mimic_motion/mimic_motion.h"

#include "core/planner/unet_count.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

/// What MimicMotion tells Stable Video Diffusion of every clip (constants in its inference code): one less
/// than its frames per second, its motion, and the noise of the image.
constexpr float kPublishedLabels[unet::kLabels] = {6, 127, 0};

/// Stable Video Diffusion reads the latents of its image as its VAE leaves them, not on the scale of the
/// noisy ones (0.18215); other latents and pixels have one scale.
double imageScale(const ModelShape& shape) {
    constexpr double kLatentScale = 0.18215;
    constexpr std::int64_t kLatentPixels = 8, kChannels = 4;
    return shape.latentPixels == kLatentPixels && shape.channels == kChannels ? 1 / kLatentScale : 1;
}

unet::PoseNet poseNetOf(const ModelShape& shape) {
    const auto& model = shape.model;
    return {.sizes = {.widths = planner::poseNetWidths(model.width),
                      .outputs = model.width,
                      .shrinks = shape.latentPixels * model.patch_size},
            .prefix = "pose_net."};
}

}  // namespace

unet::SpatioTemporalSizes videoUnetSizes(const ModelShape& shape) {
    const auto& model = shape.model;
    const auto channels = shape.channels * model.patch_size * model.patch_size;
    return {.inputs = 2 * channels,
            .outputs = channels,
            .levels = unet::publishedLevels(model),
            .context = shape.imageWidth,
            .headWidth = model.width / model.heads,
            .groups = unet::normGroups(model.width)};
}

class MimicMotion::Pass : public unet::UnetModelPass {
public:
    Pass(const MimicMotion& model, const Params& weights, const ModelInput& input)
        : UnetModelPass(model, model.requireCharacters(input)),
          m_model(model),
          m_weights(weights),
          m_times(input.times) {}

private:
    at::Tensor denoised(const at::Tensor& places) const override {
        const auto& shape = m_model.shape();
        const auto& character = group().character;
        const auto picture = character.reference.narrow(-1, 1, shape.channels).unsqueeze(1);
        const auto image = unet::toPlaces(picture * imageScale(shape), shape.model.patch_size);
        const auto labels = at::tensor(at::ArrayRef<float>(kPublishedLabels), places.device());
        const auto made = m_model.m_unet(m_weights, {.latents = at::cat({places, image.expand_as(places)}, 1),
                                                     .times = m_times * shape.model.time_scale,
                                                     .context = character.embedding,
                                                     .labels = labels.expand({places.size(0), -1}),
                                                     .added = m_model.posed(m_weights, character),
                                                     .recompute = shape.model.recompute != "none"});
        // its v is the noise less the clip, where F of EDM is the clip less the noise
        return -made;
    }

    const MimicMotion& m_model;
    const Params& m_weights;
    at::Tensor m_times;
};

MimicMotion::MimicMotion(const ModelShape& shape, at::Device)
    : UnetModel(shape), m_unet(videoUnetSizes(shape), "unet."), m_poseNet(poseNetOf(shape)) {}

std::unique_ptr<ModelPass> MimicMotion::begin(const Params& weights, const ModelInput& input) const {
    return std::make_unique<Pass>(*this, weights, input);
}

at::Tensor MimicMotion::posed(const Params& weights, const Character& character) const {
    const auto made = character.guided.defined()
                          ? character.guided.transpose(1, 2)
                          : m_poseNet(weights, character.poses.permute({0, 4, 1, 2, 3}));
    const auto isGiven = character.reference.select(-1, 0).flatten(1).amax(1) > 0;
    return made * isGiven.view({-1, 1, 1, 1, 1});
}

Character MimicMotion::prepared(const Params& weights, const Character& character) const {
    auto read = character;
    read.guided = posed(weights, character).transpose(1, 2);
    return read;
}

void MimicMotion::declareWeights(WeightInitializer& make) const {
    m_unet.declareWeights(make);
    m_poseNet.declareWeights(make);
}

}  // namespace dailies::trainer

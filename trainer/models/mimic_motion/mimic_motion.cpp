#include "trainer/models/mimic_motion/mimic_motion.h"

#include "core/planner/unet_count.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

/// What MimicMotion's program tells Stable Video Diffusion of every clip, however fast it plays.
constexpr double kPublishedRate = 7;

unet::PoseNet poseNetOf(const ModelShape& shape) {
    const auto& model = shape.model;
    return {.sizes = {.widths = planner::poseNetWidths(model.width),
                      .outputs = model.width,
                      .shrinks = shape.latentPixels * model.patch_size},
            .prefix = "pose_net."};
}

}  // namespace

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
        return throughVideoUnet(m_model.m_unet, shape, m_weights,
                                {.places = places,
                                 .times = m_times,
                                 .image = unet::referencePictures(character),
                                 .seen = character.embedding,
                                 .added = m_model.posed(m_weights, character),
                                 .fps = kPublishedRate});
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
    return made * unet::haveReference(character).view({-1, 1, 1, 1, 1});
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

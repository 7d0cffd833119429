#include "trainer/models/svd/svd.h"

#include "core/base/error.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

/// What Stable Video Diffusion is told of every clip beside its frame rate (the defaults of its program):
/// how much moves, and the noise of the image.
constexpr double kMotionBucket = 127, kImageNoise = 0;

/// It reads the latents of its image as its VAE leaves them, not on the scale of the noisy ones (0.18215);
/// other latents and pixels have one scale.
double imageScale(const ModelShape& shape) {
    constexpr double kLatentScale = 0.18215;
    constexpr std::int64_t kLatentPixels = 8, kChannels = 4;
    return shape.latentPixels == kLatentPixels && shape.channels == kChannels ? 1 / kLatentScale : 1;
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

at::Tensor throughVideoUnet(const unet::SpatioTemporalUnet& net, const ModelShape& shape,
                            const Params& weights, const VideoUnetInput& input) {
    const auto& model = shape.model;
    const auto image = unet::toPlaces(input.image * imageScale(shape), model.patch_size);
    // its program tells the frame rate less one, because it was trained so
    const auto labels =
        at::tensor({input.fps - 1, kMotionBucket, kImageNoise}).to(input.places.device(), at::kFloat);
    return -net(weights, {.latents = at::cat({input.places, image.expand_as(input.places)}, 1),
                          .times = input.times * model.time_scale,
                          .context = input.seen,
                          .labels = labels.expand({input.places.size(0), -1}),
                          .added = input.added,
                          .recompute = model.recompute != "none"});
}

class Svd::Pass : public unet::UnetModelPass {
public:
    Pass(const Svd& model, const Params& weights, const ModelInput& input)
        : UnetModelPass(model, input.groups.front()),
          m_model(model),
          m_weights(weights),
          m_times(input.times) {
        if (input.groups.size() > 1) throw Error("Clips of several sizes cannot be denoised in one pass.");
        if (!group().conditioning.defined())
            throw Error("The model begins with an image, and the batch has none.");
        if (group().imageTokens.defined() != (model.shape().imageWidth > 0))
            throw Error("The model and the batch disagree on what is seen in the images.");
    }

private:
    at::Tensor denoised(const at::Tensor& places) const override {
        return throughVideoUnet(m_model.m_unet, m_model.shape(), m_weights,
                                {.places = places,
                                 .times = m_times,
                                 .image = group().conditioning,
                                 .seen = group().imageTokens,
                                 .fps = group().fps});
    }

    const Svd& m_model;
    const Params& m_weights;
    at::Tensor m_times;
};

Svd::Svd(const ModelShape& shape, at::Device) : UnetModel(shape), m_unet(videoUnetSizes(shape), "unet.") {}

std::unique_ptr<ModelPass> Svd::begin(const Params& weights, const ModelInput& input) const {
    return std::make_unique<Pass>(*this, weights, input);
}

}  // namespace dailies::trainer

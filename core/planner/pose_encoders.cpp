#include "core/planner/pose_encoders.h"

#include "core/config/conditioning.h"
#include "core/config/latent_size.h"

#include <bit>
#include <functional>
#include <numeric>

namespace dailies::planner {

namespace {

constexpr std::int64_t kColours = 3, kWidth = 16, kWholeLayers = 3, kSide = 3;

std::int64_t halvings(std::int64_t factor) {
    return std::countr_zero(static_cast<std::uint64_t>(factor));
}

double product(const std::vector<std::int64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
}

/// `places`: of what the first layer reads, an axis each.
void count(PoseEncoderCount& counted, const std::vector<PoseLayer>& layers,
           std::vector<std::int64_t> places) {
    counted.kept += static_cast<double>(layers.front().inputs) * product(places);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto& layer = layers[i];
        for (std::size_t axis = 0; axis < places.size(); ++axis)
            places[axis] =
                (places[axis] + 2 * layer.padding[axis] - layer.kernel[axis]) / layer.stride[axis] + 1;
        const double weights = static_cast<double>(layer.outputs * layer.inputs) * product(layer.kernel);
        const double operations = 2 * weights * product(places);
        counted.operations += operations;
        if (i == 0) counted.atInputs += operations;
        counted.weights.push_back(static_cast<std::int64_t>(weights));
        counted.weights.push_back(layer.outputs);
        // before and behind SiLU
        if (i + 1 < layers.size()) counted.kept += 2 * static_cast<double>(layer.outputs) * product(places);
    }
}

}  // namespace

PoseEncoderSizes PoseEncoderSizes::of(const config::TrainConfig& config, const DataShape& data) {
    return {.width = config.model.width,
            .given = config::conditioningChannels(config.model, data.channels),
            .latentPixels = config::latentPixels(config),
            .framesPerLatent = config::framesPerLatent(config),
            .patchSize = config.model.patch_size};
}

std::vector<PoseLayer> motionLayers(const PoseEncoderSizes& sizes) {
    std::vector<PoseLayer> layers;
    const auto add = [&](const std::vector<std::int64_t>& stride) {
        layers.push_back({.outputs = kWidth,
                          .inputs = layers.empty() ? kColours : kWidth,
                          .kernel = {kSide, kSide, kSide},
                          .stride = stride,
                          .padding = {1, 1, 1}});
    };
    for (std::int64_t i = 0; i < kWholeLayers; ++i) add({1, 1, 1});
    for (auto left = halvings(sizes.latentPixels); left > 0; --left)
        add({left > halvings(sizes.framesPerLatent) ? 1 : 2, 2, 2});
    const std::vector<std::int64_t> patch = {1, sizes.patchSize, sizes.patchSize};
    layers.push_back(
        {.outputs = sizes.width, .inputs = kWidth, .kernel = patch, .stride = patch, .padding = {0, 0, 0}});
    return layers;
}

std::vector<PoseLayer> referenceLayers(const PoseEncoderSizes& sizes) {
    std::vector<PoseLayer> layers;
    const auto add = [&](std::int64_t outputs, std::int64_t stride) {
        layers.push_back({.outputs = outputs,
                          .inputs = layers.empty() ? kColours : kWidth,
                          .kernel = {kSide, kSide},
                          .stride = {stride, stride},
                          .padding = {1, 1}});
    };
    for (std::int64_t i = 0; i < kWholeLayers; ++i) add(kWidth, 1);
    for (auto left = halvings(sizes.latentPixels); left > 0; --left) add(left > 1 ? kWidth : sizes.given, 2);
    return layers;
}

PoseEncoderCount countPoseEncoders(const PoseEncoderSizes& sizes, const ClipShape& clip) {
    const auto height = clip.height * sizes.latentPixels, width = clip.width * sizes.latentPixels;
    PoseEncoderCount counted;
    count(counted, motionLayers(sizes), {clip.frames * sizes.framesPerLatent, height, width});
    count(counted, referenceLayers(sizes), {height, width});
    return counted;
}

}  // namespace dailies::planner

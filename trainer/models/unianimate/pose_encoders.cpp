#include "trainer/models/unianimate/pose_encoders.h"

#include <torch/types.h>

namespace dailies::trainer::unianimate {

namespace {

/// Every second module is a SiLU.
std::string layerName(const char* encoder, std::size_t index) {
    return encoder + std::to_string(2 * index);
}

NamedShapes tensorsOf(const char* encoder, const std::vector<planner::PoseLayer>& layers) {
    NamedShapes all;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        Extents shape = {layers[i].outputs, layers[i].inputs};
        shape.insert(shape.end(), layers[i].kernel.begin(), layers[i].kernel.end());
        all.push_back({layerName(encoder, i) + ".weight", shape});
        all.push_back({layerName(encoder, i) + ".bias", {layers[i].outputs}});
    }
    return all;
}

at::Tensor through(const char* encoder, const std::vector<planner::PoseLayer>& layers, const Params& weights,
                   at::Tensor x) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (i > 0) x = at::silu(x);
        const auto name = layerName(encoder, i);
        const Extents ones(layers[i].stride.size(), 1), zeros(layers[i].stride.size(), 0);
        x = at::convolution(x, weights[name + ".weight"], weights[name + ".bias"], layers[i].stride,
                            layers[i].padding, /*dilation=*/ones, /*transposed=*/false, zeros, /*groups=*/1);
    }
    return x;
}

}  // namespace

PoseEncoders::PoseEncoders(const planner::PoseEncoderSizes& sizes)
    : m_framesPerLatent(sizes.framesPerLatent),
      m_motion(planner::motionLayers(sizes)),
      m_reference(planner::referenceLayers(sizes)) {}

void PoseEncoders::declareWeights(WeightInitializer& make) const {
    for (const auto& [encoder, layers] :
         {std::pair{kMotion, &m_motion}, std::pair{kReference, &m_reference}}) {
        const auto last = layerName(encoder, layers->size() - 1) + ".";
        make.layers(tensorsOf(encoder, *layers), "",
                    [&](const std::string& name) { return name.starts_with(last); });
    }
}

at::Tensor PoseEncoders::motion(const Params& weights, const at::Tensor& drawings) const {
    const auto x = drawings.permute({0, 4, 1, 2, 3});
    const auto first = x.narrow(2, 0, 1).expand({-1, -1, m_framesPerLatent - 1, -1, -1});
    return through(kMotion, m_motion, weights, at::cat({first, x}, 2)).transpose(1, 2);
}

at::Tensor PoseEncoders::reference(const Params& weights, const at::Tensor& drawings) const {
    return through(kReference, m_reference, weights, drawings.permute({0, 3, 1, 2}));
}

}  // namespace dailies::trainer::unianimate

#include "tests/trainer/models/clip/lively_clip.h"

#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::clip {

TowerSizes tinyTower() {
    return {.width = 12, .layers = 2, .heads = 3, .hidden = 20, .projection = 6};
}

VisionSizes tinyVision() {
    return {.tower = tinyTower(), .patch = 4, .side = 12};
}

TextSizes tinyText() {
    return {.tower = tinyTower(), .vocabulary = 20, .places = 9};
}

Params livelyWeights(const NamedShapes& tensors) {
    Params weights;
    std::uint64_t key = 5;
    for (const auto& [name, shape] : tensors) {
        const auto value = normalTensor(++key * 1000, shape).to(at::kDouble);
        const bool gain = name.find("norm") != std::string::npos && name.ends_with(".weight");
        const bool divided = shape.size() > 1 && name.find("embeddings.") == std::string::npos;
        const auto fan = static_cast<double>(value.numel() / shape.front());
        weights.add(name, gain ? 1 + 0.1 * value : divided ? value / std::sqrt(fan) : 0.5 * value);
    }
    return weights;
}

}  // namespace dailies::trainer::clip

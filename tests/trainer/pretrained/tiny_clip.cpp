#include "tests/trainer/pretrained/tiny_clip.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

namespace dailies::trainer {

Params clipVisionWeights(const clip::VisionSizes& sizes, std::uint64_t seed) {
    Params weights;
    for (const auto& each : clip::visionTensors(sizes))
        weights.add(each.name, normalTensor(seed + weights.names().size(), each.shape));
    return weights;
}

void writeClipVision(const std::filesystem::path& folder, const clip::VisionSizes& sizes,
                     std::uint64_t seed) {
    const Json config = {{"num_attention_heads", sizes.tower.heads}, {"hidden_act", sizes.tower.activation}};
    std::filesystem::create_directories(folder);
    writeSafetensors(folder / "model.safetensors", clipVisionWeights(sizes, seed));
    writeFileAtomically(folder / "config.json", config.dump());
}

}  // namespace dailies::trainer

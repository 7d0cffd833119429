#pragma once

#include "trainer/tensors/named_shapes.h"

#include <string>

// CLIP (Radford et al. 2021): an encoder of pictures and one of text, whose embeddings meet. It has nothing
// to do with the clips of a video.

namespace dailies::trainer::clip {

/// What fixes the transformer of either encoder.
struct TowerSizes {
    std::int64_t width = 1024;
    std::int64_t layers = 24;
    std::int64_t heads = 16;  ///< names and shapes do not tell it
    std::int64_t hidden = 4096;
    std::int64_t projection = 768;          ///< width of the embedding that both meet in; 0: there is none
    std::string activation = "quick_gelu";  ///< or "gelu"; names and shapes do not tell it either
};

/// By default the encoder of ViT-L/14, which Animate Anyone reads.
struct VisionSizes {
    TowerSizes tower = {};
    std::int64_t patch = 14;  ///< pixels of a patch's side
    std::int64_t side = 224;  ///< pixels of a picture's side, a multiple of the patch's

    std::int64_t tokens() const { return 1 + (side / patch) * (side / patch); }
};

/// By default the encoder of ViT-L/14, which Stable Diffusion 1 reads.
struct TextSizes {
    TowerSizes tower = {.width = 768, .layers = 12, .heads = 12, .hidden = 3072, .projection = 0};
    std::int64_t vocabulary = 49408;
    std::int64_t places = 77;  ///< tokens of the longest text
};

/// Their tensors by the names of transformers' CLIPVisionModel and CLIPTextModel as they are published, which
/// begin with "vision_model." and "text_model.", and with a projection those of the -WithProjection.
NamedShapes visionTensors(const VisionSizes& sizes);
NamedShapes textTensors(const TextSizes& sizes);

}  // namespace dailies::trainer::clip

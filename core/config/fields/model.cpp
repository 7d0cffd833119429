#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> modelFields() {
    return {
        oneOf(field("model.family", "Model family", "",
                    "dit: a video diffusion transformer with full 3-D attention.", SLOT(model.family)),
              {"dit"}),
        between(field("model.width", "Width", "", "Channels of every token; a multiple of the heads.",
                      SLOT(model.width)),
                8, 16384),
        between(field("model.depth", "Depth", "blocks", "Transformer blocks.", SLOT(model.depth)), 1, 256),
        between(field("model.heads", "Heads", "", "Attention heads; each gets width / heads channels.",
                      SLOT(model.heads)),
                1, 256),
        between(field("model.mlp_ratio", "MLP ratio", "×",
                      "Hidden channels of the MLP as a multiple of the width.", SLOT(model.mlp_ratio)),
                1, 16),
        between(field("model.patch_frames", "Patch frames", "frames", "Frames folded into one token.",
                      SLOT(model.patch_frames)),
                1, 64),
        between(field("model.patch_size", "Patch size", "px",
                      "Height and width of the square folded into one token.", SLOT(model.patch_size)),
                1, 64),
        oneOf(field("model.activation", "Activation", "",
                    "Non-linearity of the MLP; relu2 is the square of ReLU.", SLOT(model.activation)),
              {"relu2", "gelu"}),
    };
}

}  // namespace dailies::config

#pragma once

#include "core/config/schema.h"
#include "core/config/train_config.h"

namespace dailies::planner {

/// A model of Cosmos' kind on latents of 64 × 64 and `frames` of them, in bfloat16 on GPUs.
inline config::TrainConfig latentModel(std::int64_t width, std::int64_t depth, std::int64_t frames,
                                       std::int64_t clips) {
    return config::resolve({{"model",
                             {{"width", width},
                              {"depth", depth},
                              {"heads", width / 128},
                              {"patch_frames", 1},
                              {"patch_size", 2},
                              {"activation", "gelu"},
                              {"bias", false},
                              {"adaln", "lora"},
                              {"positions", "none"}}},
                            {"data",
                             {{"source", "webdataset"},
                              {"shards", {"/data"}},
                              {"latents", "latent.npy"},
                              {"text_embeddings", "text.npy"},
                              {"frames", frames},
                              {"height", 64},
                              {"width", 64},
                              {"batch_size", clips}}},
                            {"optimizer", {{"ema_decay", 0}}},
                            {"runtime", {{"device", "cuda"}, {"precision", "bf16"}}}});
}

}  // namespace dailies::planner

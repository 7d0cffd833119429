#pragma once

#include "trainer/models/model_family.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

namespace dailies::trainer {

/// The model and batch that step_bench and shard_bench train, and dit_peer.py has in Python: a dit of 22 M
/// weights, 12 layers of width 384 on 512 tokens a clip.
inline constexpr std::int64_t kBenchWords = 16;

inline ModelShape benchShape(std::int64_t depth = 12) {
    ModelShape shape;
    shape.model.width = 384;
    shape.model.depth = depth;
    shape.model.heads = 6;
    shape.model.patch_frames = 1;
    shape.model.patch_size = 8;
    shape.model.activation = "gelu";
    shape.frames = 8;
    shape.height = 64;
    shape.width = 64;
    shape.captionTokens = kBenchWords;
    return shape;
}

/// Weights of which none is zero, so that from the first step on every layer learns.
inline Params liveBenchWeights(std::int64_t depth = 12) {
    Params live;
    const auto initial = makeModel(benchShape(depth), at::kCPU)->initialWeights(1);
    for (const auto& name : initial.names())
        live.add(name, initial[name] + 0.02 * normalTensor(hashText(name), initial[name].sizes()));
    return live;
}

/// "clips", "target", "times" and "words".
inline Params benchBatch(std::int64_t clips) {
    const std::vector<std::int64_t> sizes = {clips, 8, 64, 64, 3};
    Params batch;
    batch.add("clips", normalTensor(1, sizes).contiguous());
    batch.add("target", normalTensor(2, sizes).contiguous());
    batch.add("times", at::linspace(0.3, 0.7, clips));
    batch.add("words", at::ones({clips, kBenchWords}));
    return batch;
}

}  // namespace dailies::trainer

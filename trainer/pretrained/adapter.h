#pragma once

#include "trainer/pretrained/weights_on_disk.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// One layer's A and B.
struct AdapterModule {
    std::string name;  ///< the layer's, without what programs put before it: "blocks.0.self_attn.q"
    StoredTensor down, up;
    double scale = 1;
};

/// A LoRA adapter: y = W·x + scale·B(A(x)), by the names that programs give A and B.
struct Adapter {
    /// "peft", "diffusers", "comfyui" (`diffusion_model.…`), "kohya" (`lora_unet_…`), "bare" (no prefix, as
    /// DiffSynth writes), "lightning" (`pipe.dit.…`, as UniAnimate-DiT is published).
    std::string format;
    std::int64_t modules = 0;
    std::int64_t smallestRank = 0, largestRank = 0;
    double smallestScale = 0, largestScale = 0;  ///< what B·A is multiplied by
    /// Where the scale is from: "alpha tensors", "config", "metadata"; "" nowhere: then it is 1.
    std::string scaleFrom;
    std::optional<double> alpha;  ///< where all modules have the same
    bool rslora = false;          ///< the scale is alpha / √rank
    bool dora = false;
    std::vector<AdapterModule> matrices;  ///< of whole modules
    std::vector<std::string> targets;     ///< kinds of modules, numbers as `*`: "blocks.*.attn1.to_q"
    std::string base;                     ///< the family that the names belong to; "" unknown
    std::int64_t baseWidth = 0;           ///< its width
    std::vector<std::string> incomplete;  ///< modules that lack one of the two, or whose ranks differ
    std::vector<std::string>
        beside;  ///< tensors published beside A and B: UniAnimate-DiT's encoders of poses
    std::vector<std::string> unknown;  ///< others
    bool everyModule = false;          ///< of a Wan: q, k, v, o of both attentions and the MLP of each block
};

/// Nothing where no tensor has the name of an adapter's. Of tensors it reads only `alpha`, which is one
/// number.
std::optional<Adapter> adapterIn(const StoredWeights& weights);

}  // namespace dailies::trainer::pretrained

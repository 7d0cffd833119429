#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"
#include "trainer/models/model_family.h"

#include <map>
#include <string>

namespace dailies::trainer::lora {

/// How an adapter's factors are called.
enum class AdapterNames {
    /// `diffusion_model.blocks.0.self_attn.q.lora_A.weight`: read by ComfyUI, diffusers, diffusion-pipe and
    /// musubi-tuner's converter. Of models that were never published so: diffusers' names behind
    /// `transformer.`, else our own.
    original,
    /// `transformer.blocks.0.attn1.to_q.lora_A.weight`, for a folder that diffusers loads.
    diffusers,
};

/// Factors as other programs read them, float32, and by its own names what was trained beside them. The scale
/// is folded into B, because some readers know no alpha: B·A is what is added, whatever the reader. Throws
/// `InputError` where a factor is not finite, where all of B is zero, which adds nothing, or where diffusers
/// has no such model.
Params adapterTensors(const Model& model, const config::TrainConfig::Lora& config, const Params& adapter,
                      AdapterNames names);

/// What the file says about itself: for diffusers the configuration that peft reads `tensors` with, and what
/// the run had.
std::map<std::string, std::string> adapterMetadata(const config::TrainConfig::Lora& config,
                                                   const std::string& init, const Params& tensors,
                                                   AdapterNames names);

}  // namespace dailies::trainer::lora

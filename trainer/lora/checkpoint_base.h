#pragma once

#include "trainer/lora/base_weights.h"

#include <filesystem>

namespace dailies::trainer::lora {

/// How the base is kept: all of it on the device and not in 8 bits, or as the run keeps it
/// (lora.base_precision, lora.blocks_to_swap).
enum class KeptBase { Resident, AsInRun };

/// The weights that stayed as they were while those of a checkpoint were trained, which holds the latter
/// alone: those of the run's model.init. `manifest`: the checkpoint's. Throws `InputError` where they are
/// gone or others by now.
BaseWeights baseOfCheckpoint(const std::filesystem::path& checkpoint, const Json& manifest,
                             const Model& model, at::Device device, KeptBase kept = KeptBase::Resident);

/// Throws `InputError` where the part of `shape`, a manifest's "model", was trained on another base.
void requireSameBase(const Json& shape, const BaseWeights& base, const std::string& init);

}  // namespace dailies::trainer::lora

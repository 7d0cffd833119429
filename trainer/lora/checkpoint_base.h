#pragma once

#include "trainer/lora/lora_model.h"

#include <filesystem>

namespace dailies::trainer::lora {

/// The frozen weights below the adapter of a checkpoint, which holds the adapter alone: those of the run's
/// model.init. `manifest`: the checkpoint's. Throws `InputError` where they are gone or others by now.
LoraBase baseOfCheckpoint(const std::filesystem::path& checkpoint, const Json& manifest, const Model& model,
                          at::Device device);

/// Throws `InputError` where the adapter of `shape`, a manifest's "model", was trained on another base.
void requireSameBase(const Json& shape, const LoraBase& base, const std::string& init);

}  // namespace dailies::trainer::lora

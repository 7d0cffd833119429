#pragma once

#include "trainer/serialization/safetensors_header.h"

#include <filesystem>
#include <vector>

namespace dailies::trainer {

/// The tensors of a state dict that `torch.save` wrote (.pth, .pt, .bin, .ckpt), with their bytes counted
/// from the file's beginning. The archive's pickle is read and never run: of its operations only those are
/// known that a dictionary of tensors needs, and of the functions that it may name only those that make one,
/// so that a pickle which would run code is refused with the name of what it calls. Dictionaries within one
/// another give names with dots. Throws `Error` naming the file and what is wrong.
std::vector<SafetensorsEntry> readTorchZip(const std::filesystem::path& file);

}  // namespace dailies::trainer

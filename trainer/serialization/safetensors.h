#pragma once

#include "trainer/serialization/safetensors_header.h"
#include "trainer/tensors/params.h"

#include <filesystem>

namespace dailies::trainer {

/// Writes named tensors of the types F32, BF16, F16, U8 and I64 in the safetensors format, flushed to the
/// disk. Larger elements come first, so that every tensor lies aligned. Returns the header, with every
/// tensor's place; throws `Error` with the system's reason, and then leaves no file.
SafetensorsHeader writeSafetensors(const std::filesystem::path& file, const Params& tensors,
                                   const std::map<std::string, std::string>& metadata = {});

/// Reads all tensors of such a file, on the CPU, in the header's order. Throws `Error` naming the file and
/// what is wrong.
Params readSafetensors(const std::filesystem::path& file);

/// A tensor's type as the format names it, and back. Throw `InputError` for types that it or this trainer
/// lacks.
std::string safetensorsType(at::ScalarType type);
at::ScalarType scalarTypeOf(const std::string& safetensorsType);

}  // namespace dailies::trainer

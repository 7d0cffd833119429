#pragma once

#include "trainer/models/params.h"

#include <filesystem>

namespace dailies::trainer {

/// Writes named float32 tensors in the safetensors format (github.com/huggingface/safetensors), flushed to
/// the disk. Returns the bytes written; throws `Error` with the system's reason, and then leaves no file.
std::int64_t writeSafetensors(const std::filesystem::path& file, const Params& tensors);

/// Reads such a file. The header is not trusted: lengths, shapes and offsets are checked against each other
/// and the file's size before anything is allocated. Throws `Error` naming the file and what is wrong.
Params readSafetensors(const std::filesystem::path& file);

}  // namespace dailies::trainer

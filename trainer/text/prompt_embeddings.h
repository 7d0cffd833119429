#pragma once

#include "trainer/data/array.h"

#include <filesystem>
#include <string>

namespace dailies::trainer {

/// The embeddings of one prompt, F32 [tokens, width], as a person's own encoder wrote them: .npy or
/// .safetensors with one tensor [tokens, width] or [1, tokens, width]. Throws `InputError` that names the
/// key and the file when it cannot be read or is not as wide as the data's embeddings.
Array readPromptEmbeddings(const std::string& key, const std::filesystem::path& file, std::int64_t width);

}  // namespace dailies::trainer

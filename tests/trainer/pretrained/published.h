#pragma once

#include "core/base/json.h"
#include "trainer/pretrained/inspection.h"
#include "trainer/pretrained/tensor_table.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// Which type each tensor of a file has: by default all are BF16.
using TypeOf = std::function<std::string(const std::string& name)>;

/// A safetensors file whose header is true and whose numbers are a hole of the disk's: weights of any size
/// take the bytes of their names only. Returns its size.
std::uint64_t writeHollow(const std::filesystem::path& file, const NamedShapes& tensors,
                          const TypeOf& typeOf = {}, const std::map<std::string, std::string>& metadata = {});

/// The names of a list in the original checkpoints' spelling: what Wan-Video's and Lightricks' own files
/// have.
NamedShapes wanOriginal(NamedShapes diffusers);
NamedShapes wanVaeOriginal(NamedShapes diffusers, bool residual);
NamedShapes ltxVaeOriginal(NamedShapes diffusers);  ///< of 0.9.1
/// Of AutoencoderKL: CompVis' own, of four levels, and diffusers' until 0.16.
NamedShapes sdVaeOriginal(NamedShapes diffusers);
NamedShapes sdVaeDiffusers016(NamedShapes diffusers);
/// Of Stable Diffusion's U-Net: CompVis' own, and AnimateDiff's of its motion modules.
NamedShapes unetOriginal(NamedShapes diffusers);
NamedShapes motionOriginal(NamedShapes diffusers);
/// Of Stable Video Diffusion's U-Net: Stability's own.
NamedShapes videoUnetOriginal(NamedShapes diffusers);
NamedShapes umt5Original(NamedShapes transformers);

/// A list of texts.
inline std::vector<std::string> words(const Json& list) {
    return list.get<std::vector<std::string>>();
}

/// Of files that are nobody's own model.
inline OwnModel nothing(const Json&) {
    return {};
}

NamedShapes withPrefix(const NamedShapes& tensors, const std::string& prefix);

std::int64_t parametersOf(const NamedShapes& tensors);

}  // namespace dailies::trainer::pretrained

#pragma once

#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// What fixes names and shapes of an encoder of T5's kind.
struct T5Sizes {
    std::int64_t vocabulary = 256384, width = 4096, inner = 4096, mlpWidth = 10240, layers = 24;
    std::int64_t heads = 64, buckets = 32;
    bool biasInEveryLayer = true;  ///< UMT5: each layer has its own table of positions; T5: the first one has
};

/// The bytes of the tokenizer's spiece.model, a tensor of U8, which ComfyUI's files have beside the weights.
inline constexpr const char* kT5TokenizerTensor = "spiece_model";

/// Its tensors by transformers' names, with both names of the tied table of words.
NamedShapes t5Tensors(const T5Sizes& sizes);

/// The name in transformers of a tensor of Wan's original umt5; other names as they are.
std::string t5TransformersName(const std::string& original);

/// `tensors`: by transformers' names. Family "umt5" or "t5".
std::optional<Family> recogniseT5(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained

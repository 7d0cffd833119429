#pragma once

#include "trainer/pretrained/families/t5.h"
#include "trainer/tensors/params.h"

#include <filesystem>
#include <string>

namespace dailies::trainer {

/// A published encoder that fits a test, and how its files differ from whole ones.
struct TinyT5 {
    bool biasInEveryLayer = true;  ///< UMT5, else T5
    bool original = false;         ///< names of Wan-Video's own checkpoint
    at::ScalarType type = at::kFloat;
    bool scaledFp8 = false;       ///< matrices in float8 with a scale each, as in ComfyUI's files
    bool withTokenizer = false;   ///< the tokenizer is a tensor among the weights, as in ComfyUI's files
    std::int64_t spareRows = 20;  ///< of the table of words, beyond the tokenizer's pieces
    std::string without = {};     ///< a tensor that is missing
    std::string notFinite = {};   ///< a tensor whose last number is a NaN
};

/// The bytes of a spiece.model with byte fallback, trained on a few sentences.
const std::string& tinySpiece();

/// How many pieces it has.
std::int64_t tinySpiecePieces();

pretrained::T5Sizes tinyT5Sizes(const TinyT5& how = {});

/// Random weights by transformers' names, the table of words as shared.weight.
Params tinyT5Weights(const TinyT5& how = {});

/// Writes text_encoder/model.safetensors and tokenizer/spiece.model, as diffusers' folders have them.
void writeTinyT5(const std::filesystem::path& folder, const TinyT5& how = {});

}  // namespace dailies::trainer

#pragma once

#include "trainer/models/model_input.h"

namespace dailies::trainer::layers {

/// What cross-attention reads of the captions.
struct TextContext {
    at::Tensor tokens;  ///< [clips, tokens, width]
    at::Tensor mask;    ///< [clips, tokens], bool, at least one token a clip; undefined: all take part
};

/// The embeddings with their mask. A caption without tokens is told by its padding, all of it, since
/// attention to nothing is not a number.
TextContext embeddedText(const TextInput& text);

/// The embeddings in `places` places a caption, those beyond cut off and zeros behind its last; all take
/// part, as in Wan (wan/modules/model.py: `text_len`, and cross-attention without `context_lens`).
TextContext textInPlaces(const TextInput& text, std::int64_t places);

/// The context's tokens at the model's width: text.in, GELU, text.out.
TextContext projectedText(const Params& weights, TextContext text);

/// The mean of a caption's tokens, [clips, width].
at::Tensor pooledText(const TextContext& text);

/// The sum of a caption's words, [clips, width]: rows of `table` [vocabulary, width].
at::Tensor wordSum(const TextInput& text, const at::Tensor& table);

/// Words as tokens: row w of `table` [vocabulary, width] for each word of the vocabulary, of which a
/// caption's own take part.
TextContext wordTokens(const TextInput& text, const at::Tensor& table);

}  // namespace dailies::trainer::layers

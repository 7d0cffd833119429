#pragma once

#include "trainer/models/clip/clip_sizes.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer::clip {

/// What the encoder makes of texts.
struct TextOutput {
    at::Tensor last;         ///< [n, tokens, width], behind the last layer and normed: Stable Diffusion 1
    at::Tensor penultimate;  ///< before the last layer, not normed: Stable Diffusion 2 and XL
    at::Tensor pooled;       ///< [n, width], of the end of text
    at::Tensor projected;    ///< [n, projection]; undefined where there is no projection
};

/// The encoder of text: a causal transformer over pieces (CLIPTextModelWithProjection of transformers). A
/// function of its weights, `textTensors` in float32 or float64. Any number of threads.
class TextTower {
public:
    /// Throws `InputError` for sizes of a tower that there cannot be.
    explicit TextTower(TextSizes sizes);

    /// Ids [n, tokens], int64, of at most `places` tokens. A text ends with its first one of the highest id,
    /// which is the end of text in the published vocabularies; what stands behind it is padding, of any id
    /// that is not higher, and does not reach what stands before it. Throws `Error` for longer texts.
    TextOutput operator()(const Params& weights, const at::Tensor& ids) const;

    const TextSizes& sizes() const { return m_sizes; }

private:
    TextSizes m_sizes;
};

}  // namespace dailies::trainer::clip

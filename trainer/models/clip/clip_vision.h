#pragma once

#include "trainer/models/clip/clip_sizes.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer::clip {

/// What the encoder makes of pictures. Each model that reads it reads another part.
struct VisionOutput {
    at::Tensor last;         ///< [n, tokens, width], behind the last layer and not normed
    at::Tensor penultimate;  ///< the same before the last layer: Wan's image to video
    at::Tensor pooled;       ///< [n, width], of the first token, normed
    at::Tensor projected;    ///< [n, projection]: Animate Anyone; undefined where there is no projection
};

/// The encoder of pictures: a transformer over patches and a token of its own before them (Dosovitskiy et al.
/// 2020; CLIPVisionModelWithProjection of transformers). A function of its weights, `visionTensors` in
/// float32 or float64. Any number of threads.
class VisionTower {
public:
    /// Throws `InputError` for sizes of a tower that there cannot be.
    explicit VisionTower(VisionSizes sizes);

    /// Pictures as `encoderPictures` makes them, [n, 3, side, side]. Throws `Error` for another size, because
    /// each patch has a learned position.
    VisionOutput operator()(const Params& weights, const at::Tensor& pictures) const;

    const VisionSizes& sizes() const { return m_sizes; }

private:
    VisionSizes m_sizes;
};

}  // namespace dailies::trainer::clip

#pragma once

#include <ATen/core/Tensor.h>

namespace dailies::trainer::clip {

/// How a picture of any size becomes a small square.
struct PictureFit {
    /// The shorter side is resized and the middle cut out, as CLIP was trained; else the whole picture is
    /// squeezed into the square, as Wan does it.
    bool crop = true;
    /// Bicubic over all pixels that a small one covers, in bytes, as Pillow and so CLIPImageProcessor resize;
    /// else over the nearest sixteen in numbers without bounds, which is what Wan's own program does
    /// (wan/modules/clip.py: F.interpolate) and its image to video has learned from.
    bool antialias = true;
};

/// What an encoder of pictures reads: `pictures` [n, 3, height, width], bytes or numbers of 0 … 1, on any
/// device → [n, 3, side, side], float32, as (value - mean) / deviation of CLIP's training set.
at::Tensor encoderPictures(const at::Tensor& pictures, std::int64_t side, const PictureFit& fit = {});

}  // namespace dailies::trainer::clip

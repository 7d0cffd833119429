#include "trainer/models/clip/clip_pictures.h"

#include <torch/types.h>

#include <algorithm>
#include <vector>

namespace dailies::trainer::clip {

namespace {

constexpr double kWhite = 255;

// of OpenAI's CLIP, which all that followed kept
const std::vector<float> kColourMean = {0.48145466F, 0.4578275F, 0.40821073F};
const std::vector<float> kColourDeviation = {0.26862954F, 0.26130258F, 0.27577711F};

at::Tensor inBytes(const at::Tensor& x) {
    return (x * kWhite).round().clamp(0, kWhite) / kWhite;
}

at::Tensor resized(const at::Tensor& pictures, std::int64_t height, std::int64_t width, bool antialias) {
    const std::vector<std::int64_t> size = {height, width}, wide = {pictures.size(2), width};
    if (!antialias) return at::upsample_bicubic2d(pictures, size, /*align_corners=*/false);
    // Pillow keeps bytes between its passes, too, and their bounds are seen beside sharp edges. It went
    // across first when the models were trained; version 13 goes down tall pictures first.
    const auto across = inBytes(at::_upsample_bicubic2d_aa(inBytes(pictures), wide, /*align_corners=*/false));
    return inBytes(at::_upsample_bicubic2d_aa(across, size, /*align_corners=*/false));
}

at::Tensor ofColours(const std::vector<float>& values, const at::Tensor& like) {
    return at::tensor(values, like.options()).view({-1, 1, 1});
}

}  // namespace

at::Tensor encoderPictures(const at::Tensor& pictures, std::int64_t side, const PictureFit& fit) {
    const auto height = pictures.size(2), width = pictures.size(3), shorter = std::min(height, width);
    auto x = pictures.to(at::kFloat);
    if (pictures.scalar_type() == at::kByte) x = x / kWhite;
    if (fit.crop) {
        x = resized(x, side * height / shorter, side * width / shorter, fit.antialias);
        x = x.narrow(2, (x.size(2) - side) / 2, side).narrow(3, (x.size(3) - side) / 2, side);
    } else {
        x = resized(x, side, side, fit.antialias);
    }
    return (x - ofColours(kColourMean, x)) / ofColours(kColourDeviation, x);
}

}  // namespace dailies::trainer::clip

#include "trainer/denoising/image_condition.h"

#include "core/base/error.h"
#include "core/config/conditioning.h"
#include "trainer/data/clip_cutter.h"
#include "trainer/denoising/collate.h"
#include "trainer/runtime/device.h"

#include <torch/types.h>

namespace dailies::trainer {

ImageTensors imageTensors(const std::vector<const ImageCondition*>& images, const ValueScale& scale,
                          at::Device device) {
    if (images.empty()) return {};
    std::vector<at::Tensor> latents, tokens;
    for (const auto* image : images) {
        latents.push_back(valuesOf({.latents = image->latents}));
        if (image->tokens) tokens.push_back(valuesOf({.latents = image->tokens}));
    }
    const auto values = scaledValues(copyToDevice(at::stack(latents), device), scale);
    const auto seen = tokens.empty() ? at::Tensor() : copyToDevice(at::stack(tokens), device);
    if (values.size(1) == 1) return {values, seen};
    auto sizes = values.sizes().vec();
    sizes.back() = config::kImageMaskChannels;
    const auto mask = at::zeros(sizes, values.options());
    mask.narrow(1, 0, 1).fill_(1);
    if (images.front()->endsWithImage) mask.narrow(1, -1, 1).narrow(-1, -1, 1).fill_(1);
    return {at::cat({mask, values}, -1), seen};
}

ImageTensors withoutImages(const ImageTensors& images, const std::vector<bool>& without) {
    auto left = images;
    for (std::size_t i = 0; i < without.size(); ++i) {
        if (!without[i]) continue;
        for (auto* x : {&left.conditioning, &left.tokens})
            if (x->defined()) x->select(0, static_cast<std::int64_t>(i)).zero_();
    }
    return left;
}

RgbClip readImage(const std::filesystem::path& file, const config::TrainConfig& config,
                  const std::string& key) {
    try {
        video::ClipReader reader(file);
        return cutClip(reader, {reader.info().frames - 1}, static_cast<int>(config.data.height),
                       static_cast<int>(config.data.width));
    } catch (const Error& error) {
        throw InputError(key + ": " + error.what(), error.remedy());
    }
}

}  // namespace dailies::trainer

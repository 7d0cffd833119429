#pragma once

#include "core/config/train_config.h"
#include "trainer/data/data_source.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

namespace dailies::trainer {

/// What a model is told of the images that clips begin with, on the device.
struct ImageTensors {
    at::Tensor conditioning = {};  ///< ClipGroup::conditioning
    at::Tensor tokens = {};        ///< ClipGroup::imageTokens; undefined without an image encoder

    bool defined() const { return conditioning.defined(); }
};

/// Those of several clips of one size; undefined tensors for none. An image alone has no mask.
ImageTensors imageTensors(const std::vector<const ImageCondition*>& images, const ValueScale& scale,
                          at::Device device);

/// The same, 0 of those clips that are `without` their image. Writes into the tensors that it is given.
ImageTensors withoutImages(const ImageTensors& images, const std::vector<bool>& without);

/// The image that a clip is to begin or end with, one frame: a picture, or the last of a video, scaled and
/// cropped like training clips. Throws `InputError` that names the file when it cannot be read; `key`: of the
/// configuration, which errors begin with.
RgbClip readImage(const std::filesystem::path& file, const config::TrainConfig& config,
                  const std::string& key = "sampling.given_files");

}  // namespace dailies::trainer

#pragma once

#include "trainer/pretrained/published_model.h"
#include "trainer/text/t5/t5_encoder.h"

#include <filesystem>

namespace dailies::trainer {

/// Finds the encoder of `text.weights`: a file or folder of UMT5 or T5 v1.1, also among the parts of a
/// pipeline, by transformers' or Wan's own names. Reads headers only. Throws `InputError` where there is no
/// whole one.
pretrained::PublishedModel openT5(const std::filesystem::path& path);

/// Its weights, read one by one onto the device in the types that they have in the file. Throws `InputError`
/// where one is not finite.
T5Encoder readT5(const pretrained::PublishedModel& model, at::Device device);

}  // namespace dailies::trainer

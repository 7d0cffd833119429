#pragma once

#include "core/config/train_config.h"

#include <string>
#include <vector>

namespace dailies::config {

/// A size of training clips. Clips of one bucket stand in a batch side by side; one frame makes it a bucket
/// of images.
struct Bucket {
    std::int64_t frames = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    double fps =
        0;  ///< frames are taken at this rate by their times; 0: every data.frame_stride-th as it comes

    /// "8x32x32@8": frames × height × width @ fps, the last where it is given.
    std::string text() const;
    bool operator==(const Bucket&) const = default;
};

/// The buckets of `data.buckets` (with data.target_fps where they name no rate), or the one of data.frames,
/// height, width and target_fps where it is empty. Throws `InputError` naming a text that is none, and one
/// that stands twice.
std::vector<Bucket> bucketsOf(const TrainConfig::Data& data);

}  // namespace dailies::config

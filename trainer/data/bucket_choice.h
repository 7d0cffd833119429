#pragma once

#include "core/config/bucket.h"

#include <string>
#include <variant>
#include <vector>

namespace dailies::trainer {

/// What choosing a bucket needs to know of a video.
struct VideoInfo {
    int frames = 0;
    int width = 0, height = 0;  ///< as shown
    double fps = 0;             ///< average; 0 for a picture
    double seconds = 0;         ///< from the first frame to the last
    bool operator==(const VideoInfo&) const = default;
};

struct ChosenBucket {
    std::size_t bucket = 0;
    std::int64_t clips = 1;  ///< that follow one another in the video without overlap
};

/// The bucket of which one clip keeps most of the video: the share of its picture that is left after
/// cropping, times the share of its length; among equals the one with the most pixels. Or, when none can take
/// it, the reason, which is the same text for the same kind of reason.
std::variant<ChosenBucket, std::string> chooseBucket(const VideoInfo& video,
                                                     const std::vector<config::Bucket>& buckets,
                                                     const config::TrainConfig::Data& data);

/// Where clip `clip` of a video begins: a time in seconds where the bucket has a rate, else a frame number.
double clipStart(const config::Bucket& bucket, std::int64_t clip, std::int64_t frameStride);

}  // namespace dailies::trainer

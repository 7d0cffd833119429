#include "trainer/data/bucket_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace dailies::trainer {

namespace {

// A rate is an average over rounded times, and 23.976 frames a second are good enough for 24.
constexpr double kSlowestShare = 0.95;
constexpr double kRateRounding = 0.002;  // seconds

/// How far a video came on the way into a bucket; the reason of the bucket where it came farthest is told.
enum class Obstacle { rate, length, size };

constexpr const char* kReasons[] = {"frame rate below the buckets'", "too short for every bucket",
                                    "too small for every bucket"};

struct Fit {
    double kept = 0;
    std::int64_t clips = 1;
};

std::variant<Fit, Obstacle> fit(const VideoInfo& video, const config::Bucket& bucket,
                                const config::TrainConfig::Data& data) {
    Fit fit;
    double lengthKept = 1;
    if (bucket.frames > 1 && bucket.fps > 0) {
        if (video.frames > 1 && video.fps < kSlowestShare * bucket.fps) return Obstacle::rate;
        const double span = static_cast<double>(bucket.frames - 1) / bucket.fps;
        const double rest = video.seconds + kRateRounding - span;
        if (rest < 0) return Obstacle::length;
        fit.clips = static_cast<std::int64_t>(rest / (static_cast<double>(bucket.frames) / bucket.fps)) + 1;
        lengthKept = std::min(1.0, span / std::max(video.seconds, span));
    } else if (bucket.frames > 1) {
        const auto span = (bucket.frames - 1) * data.frame_stride + 1;
        if (video.frames < span) return Obstacle::length;
        fit.clips = (video.frames - span) / (bucket.frames * data.frame_stride) + 1;
        lengthKept = static_cast<double>(span) / video.frames;
    } else {
        // a video gives one picture to a bucket of pictures
        lengthKept = 1.0 / std::max(1, video.frames);
    }
    const double across = static_cast<double>(bucket.width) / video.width;
    const double down = static_cast<double>(bucket.height) / video.height;
    if (std::max(across, down) > data.max_upscale) return Obstacle::size;
    fit.kept = lengthKept * std::min(across, down) / std::max(across, down);
    return fit;
}

}  // namespace

std::variant<ChosenBucket, std::string> chooseBucket(const VideoInfo& video,
                                                     const std::vector<config::Bucket>& buckets,
                                                     const config::TrainConfig::Data& data) {
    constexpr double kEqual = 1e-9;
    std::optional<ChosenBucket> best;
    double bestKept = 0;
    auto farthest = Obstacle::rate;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const auto tried = fit(video, buckets[i], data);
        if (const auto* obstacle = std::get_if<Obstacle>(&tried)) {
            farthest = std::max(farthest, *obstacle);
            continue;
        }
        const auto& fits = std::get<Fit>(tried);
        const auto pixels = [&](std::size_t bucket) {
            return buckets[bucket].height * buckets[bucket].width;
        };
        const bool more = !best || fits.kept > bestKept + kEqual ||
                          (fits.kept > bestKept - kEqual && pixels(i) > pixels(best->bucket));
        if (!more) continue;
        best = {i, fits.clips};
        bestKept = fits.kept;
    }
    if (best) return *best;
    return std::string(kReasons[static_cast<int>(farthest)]);
}

double clipStart(const config::Bucket& bucket, std::int64_t clip, std::int64_t frameStride) {
    const auto frames = static_cast<double>(clip * bucket.frames);
    return bucket.fps > 0 ? frames / bucket.fps : frames * static_cast<double>(frameStride);
}

}  // namespace dailies::trainer

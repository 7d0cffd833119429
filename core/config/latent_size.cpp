#include "core/config/latent_size.h"

#include "core/base/error.h"

#include <algorithm>

namespace dailies::config {

namespace {

std::string nearest(std::int64_t below, std::int64_t above) {
    return (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(above);
}

}  // namespace

std::int64_t latentFrames(std::int64_t frames, std::int64_t factor) {
    if (frames >= 1 && (frames - 1) % factor == 0) return 1 + (frames - 1) / factor;
    const auto below = 1 + std::max<std::int64_t>(frames - 1, 0) / factor * factor;
    throw InputError("found " + std::to_string(frames) + " frames, expected 1 + a multiple of " +
                     std::to_string(factor) + " for the tokenizer: " + nearest(below, below + factor) + ".");
}

std::int64_t latentSide(std::int64_t side, std::int64_t factor) {
    if (side >= factor && side % factor == 0) return side / factor;
    const auto below = side / factor * factor;
    throw InputError("found " + std::to_string(side) + " pixels, expected a multiple of " +
                     std::to_string(factor) + " for the tokenizer: " + nearest(below, below + factor) + ".");
}

std::int64_t latentPixels(const TrainConfig& config) {
    return config.tokenizer.kind == "none" ? 1 : config.tokenizer.space_factor;
}

std::int64_t framesPerLatent(const TrainConfig& config) {
    return config.tokenizer.kind == "none" ? 1 : config.tokenizer.frames_factor;
}

Bucket modelInputSize(const TrainConfig& config, const Bucket& clip) {
    if (config.tokenizer.kind == "none") return clip;
    const auto& tokenizer = config.tokenizer;
    return {latentFrames(clip.frames, tokenizer.frames_factor),
            latentSide(clip.height, tokenizer.space_factor), latentSide(clip.width, tokenizer.space_factor),
            clip.fps};
}

}  // namespace dailies::config

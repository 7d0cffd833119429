#include "trainer/denoising/conditioning_frames.h"

#include "core/base/error.h"
#include "trainer/data/clip_cutter.h"
#include "trainer/denoising/batch.h"
#include "trainer/denoising/collate.h"
#include "trainer/tensors/random.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

namespace {

/// The last frames of a video, as far apart as those of training clips.
std::vector<int> lastFrames(const video::ClipReader& reader, const config::TrainConfig::Data& data,
                            int count) {
    const int last = reader.info().frames - 1;
    if (data.target_fps > 0) {
        const double start = reader.seconds(last) - (count - 1) / data.target_fps;
        return framesByTime(reader, start, data.target_fps, count);
    }
    std::vector<int> frames;
    for (int i = count - 1; i >= 0; --i) frames.push_back(last - i * static_cast<int>(data.frame_stride));
    return frames;
}

/// How many frames lie in the video at that distance.
int framesIn(const video::ClipReader& reader, const config::TrainConfig::Data& data) {
    const int last = reader.info().frames - 1;
    if (data.target_fps > 0) return 1 + static_cast<int>(reader.seconds(last) * data.target_fps + 1e-3);
    return 1 + last / static_cast<int>(data.frame_stride);
}

}  // namespace

at::Tensor drawConditioningFrames(const config::TrainConfig& config, std::int64_t step,
                                  const std::vector<std::int64_t>& globalIndices) {
    const auto& conditioning = config.model.conditioning;
    if (conditioning != "frames" && conditioning != "in_place") return {};
    std::vector<std::int64_t> counts;
    for (const auto place : globalIndices) {
        Random random(randomKey(config.seed, Stream::given_frames, static_cast<std::uint64_t>(step),
                                static_cast<std::uint64_t>(place)));
        const bool given = random.uniform() < config.model.given_share;
        const auto count = 1 + random.below(static_cast<std::uint64_t>(config.model.given_frames));
        counts.push_back(given ? static_cast<std::int64_t>(count) : 0);
    }
    return at::tensor(counts, at::kLong);
}

at::Tensor conditioningFrames(const at::Tensor& clips, const at::Tensor& counts) {
    const auto isGiven = (at::arange(clips.size(1)).unsqueeze(0) < counts.unsqueeze(1))
                             .to(clips.device(), clips.scalar_type())
                             .view({clips.size(0), clips.size(1), 1, 1, 1});
    auto sizes = clips.sizes().vec();
    sizes.back() = 1;
    return at::cat({isGiven.expand(sizes), clips * isGiven}, -1);
}

at::Tensor lossWithoutGivenFrame(const Objective& objective, const at::Tensor& output,
                                 const at::Tensor& clips, const at::Tensor& noise, const at::Tensor& levels,
                                 const at::Tensor& given) {
    const auto rest = [](const at::Tensor& x) { return x.narrow(1, 1, x.size(1) - 1); };
    const auto isGiven = given.select(-1, 0).flatten(1).select(1, 0) > 0;
    return at::where(isGiven, objective.loss(rest(output), rest(clips), rest(noise), levels),
                     objective.loss(output, clips, noise, levels));
}

at::Tensor readConditioningFrames(const std::filesystem::path& file, const config::TrainConfig& config,
                                  const Tokenizer* tokenizer, const ValueScale& scale) {
    const auto& data = config.data;
    Example example;
    try {
        video::ClipReader reader(file);
        // frames of latents: the first is of one frame, each further one of `frames_factor`
        const auto factor = tokenizer ? config.tokenizer.frames_factor : 1;
        const auto given = std::min(config.model.given_frames, 1 + (framesIn(reader, data) - 1) / factor);
        const auto frames = lastFrames(reader, data, static_cast<int>(1 + (given - 1) * factor));
        example.clip = cutClip(reader, frames, static_cast<int>(data.height), static_cast<int>(data.width));
    } catch (const Error& error) {
        throw InputError("sampling.given_files: " + std::string(error.what()), error.remedy());
    }
    if (!tokenizer) return scaledValues(valuesOf(example), scale);
    const auto pixels = scaledPixels(valuesOf(example), {});
    return scaledValues(tokenizer->encode(pixels.unsqueeze(0)).squeeze(0).to(at::kCPU), scale);
}

Denoiser withConditioningFrames(const at::Tensor& given, Denoiser denoise) {
    if (!given.defined()) return denoise;
    const auto isGiven = given.narrow(-1, 0, 1) > 0, values = given.narrow(-1, 1, given.size(-1) - 1);
    return [isGiven, values, denoise = std::move(denoise)](const at::Tensor& noised, const PathPoint& point) {
        return at::where(isGiven, values, denoise(noised, point));
    };
}

}  // namespace dailies::trainer

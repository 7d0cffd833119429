#include "trainer/given_frames.h"

#include "trainer/random.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

at::Tensor drawGivenFrames(const config::TrainConfig& config, std::int64_t step,
                           const std::vector<std::int64_t>& places) {
    if (config.model.conditioning != "frames") return {};
    std::vector<std::int64_t> counts;
    for (const auto place : places) {
        Random random(randomKey(config.seed, Stream::given_frames, static_cast<std::uint64_t>(step),
                                static_cast<std::uint64_t>(place)));
        const bool given = random.uniform() < config.model.given_share;
        const auto count = 1 + random.below(static_cast<std::uint64_t>(config.model.given_frames));
        counts.push_back(given ? static_cast<std::int64_t>(count) : 0);
    }
    return at::tensor(counts, at::kLong);
}

at::Tensor givenFrames(const at::Tensor& clips, const at::Tensor& counts) {
    const auto isGiven = (at::arange(clips.size(1)).unsqueeze(0) < counts.unsqueeze(1))
                             .to(clips.device(), clips.scalar_type())
                             .view({clips.size(0), clips.size(1), 1, 1, 1});
    auto sizes = clips.sizes().vec();
    sizes.back() = 1;
    return at::cat({isGiven.expand(sizes), clips * isGiven}, -1);
}

}  // namespace dailies::trainer

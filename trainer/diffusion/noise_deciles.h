#pragma once

#include "core/base/json.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <map>
#include <string>

namespace dailies::trainer {

/// The loss of training split by noise: decile 0 holds the tenth of the clips with the least noise, decile 9
/// that with the most. What a run learns first, and what a change of objective or shift really does, shows
/// there and not in the mean.
class NoiseDeciles {
public:
    static constexpr std::int64_t kCount = 10;

    /// [2 · kCount] for one rank's clips, on the device of the losses: sums of losses, then numbers of clips.
    /// The sum over ranks is what `add` takes.
    static at::Tensor ofClips(const at::Tensor& losses, const at::Tensor& quantiles);

    void add(const at::Tensor& ofClips);

    /// "loss/decile_0" … "loss/decile_9": mean loss of the clips that were added; a decile without any is
    /// left out.
    std::map<std::string, double> means() const;

    /// For checkpoints, so that a resumed run logs the same means.
    Json toJson() const;
    static NoiseDeciles fromJson(const Json& json);

private:
    std::array<double, kCount> m_sums{};
    std::array<double, kCount> m_clips{};
};

}  // namespace dailies::trainer

#pragma once

#include "core/planner/pose_encoders.h"
#include "trainer/models/unianimate/pose_names.h"
#include "trainer/models/weight_initializer.h"

namespace dailies::trainer::unianimate {

/// UniAnimate-DiT's encoders of drawn poses: functions of their weights. What they put out begins at zero.
class PoseEncoders {
public:
    explicit PoseEncoders(const planner::PoseEncoderSizes& sizes);

    void declareWeights(WeightInitializer& make) const;
    bool isIn(const Params& weights) const { return weights.contains(kMotion + std::string("0.weight")); }

    /// [clips, frames, height, width, 3] of 0 … 1 → [clips, frames of latents, transformer's width, rows,
    /// columns of tokens]. As for latents, the first frame stands alone.
    at::Tensor motion(const Params& weights, const at::Tensor& drawings) const;
    /// [clips, height, width, 3] of 0 … 1 → [clips, given, rows, columns of latents].
    at::Tensor reference(const Params& weights, const at::Tensor& drawings) const;

private:
    std::int64_t m_framesPerLatent;
    std::vector<planner::PoseLayer> m_motion, m_reference;
};

}  // namespace dailies::trainer::unianimate

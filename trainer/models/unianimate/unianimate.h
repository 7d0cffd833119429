#pragma once

#include "trainer/models/unianimate/pose_encoders.h"
#include "trainer/models/wan/wan.h"

namespace dailies::trainer {

/// UniAnimate-DiT (Wang et al. 2025): Wan's image to video, which begins with a reference picture instead of
/// a clip's first frame. What encoders make of drawn poses is added to the clip's tokens, and of the
/// reference picture's own pose to its latents. Clips without poses (`Character::referencePose`) get nothing
/// added: with them classifier-free guidance compares.
class UniAnimate : public Wan {
public:
    UniAnimate(const ModelShape& shape, at::Device device);

    Character prepared(const Params& weights, const Character& character) const override;
    /// Those of the Wan, and the encoders by their own names.
    std::vector<DiffusersWeight> diffusersWeights() const override;
    std::vector<std::string> addedParts() const override;
    Flops flops(const ClipSize& size, std::int64_t textTokens) const override;

protected:
    void declareWeights(WeightInitializer& make) const override;
    at::Tensor embedded(const Params& weights, const std::vector<ClipGroup>& groups,
                        const layers::SequenceLayout& layout) const override;

private:
    /// `PoseEncoders::motion`, computed again in the backward pass where blocks are: it sees pixels, not
    /// latents, and would keep gigabytes.
    at::Tensor motion(const Params& weights, const at::Tensor& drawings) const;

    unianimate::PoseEncoders m_poses;
};

}  // namespace dailies::trainer

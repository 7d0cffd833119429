#pragma once

#include "trainer/models/dit/dit.h"

namespace dailies::trainer {

/// A transformer whose blocks attend in turn within each frame and, at each place, over the frames (Latte,
/// Open-Sora's STDiT): cheap where clips are long. Every `model.full_attention_every`-th block attends over
/// the whole clip. In all else it is Dit; positions rotate alike in every block, since along an axis that a
/// block does not span all distances are zero.
class StDit : public Dit {
public:
    using Dit::Dit;

protected:
    layers::Span span(std::int64_t block) const override;
};

}  // namespace dailies::trainer

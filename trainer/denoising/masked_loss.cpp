#include "trainer/denoising/masked_loss.h"

#include <torch/types.h>

namespace dailies::trainer {

at::Tensor maskedLoss(const Objective& objective, const at::Tensor& output, const at::Tensor& clips,
                      const at::Tensor& noise, const at::Tensor& levels, const at::Tensor& mask,
                      double weight) {
    auto planes = mask.permute({0, 4, 1, 2, 3});
    if (clips.size(1) < mask.size(1)) {  // the first frame is a latent of its own: it counts for as many
        const auto ofLatent = (mask.size(1) - 1) / (clips.size(1) - 1);
        planes = at::cat({planes.narrow(2, 0, 1).expand({-1, -1, ofLatent - 1, -1, -1}), planes}, 2);
    }
    const auto places = at::adaptive_avg_pool3d(planes, {clips.size(1), clips.size(2), clips.size(3)})
                            .permute({0, 2, 3, 4, 1});
    // losses square what is linear in all three
    const auto root = at::sqrt(1 + (weight - 1) * places);
    return objective.loss(output * root, clips * root, noise * root, levels);
}

}  // namespace dailies::trainer

#include "trainer/denoising/masked_loss.h"

#include <torch/types.h>

namespace dailies::trainer {

at::Tensor maskedLoss(const Objective& objective, const at::Tensor& output, const at::Tensor& clips,
                      const at::Tensor& noise, const at::Tensor& levels, const at::Tensor& mask,
                      double weight) {
    const auto places =
        at::adaptive_avg_pool2d(mask.flatten(0, 1).permute({0, 3, 1, 2}), {clips.size(2), clips.size(3)})
            .permute({0, 2, 3, 1})
            .unflatten(0, {clips.size(0), clips.size(1)});
    // losses square what is linear in all three
    const auto root = at::sqrt(1 + (weight - 1) * places);
    return objective.loss(output * root, clips * root, noise * root, levels);
}

}  // namespace dailies::trainer

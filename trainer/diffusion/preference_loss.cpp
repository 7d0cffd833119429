#include "trainer/diffusion/preference_loss.h"

#include <torch/types.h>

#include <numbers>

namespace dailies::trainer {

at::Tensor preferenceLoss(const at::Tensor& errors, const at::Tensor& reference, double beta) {
    const auto worsened = (errors - reference).view({-1, 2});
    const auto margin = worsened.select(1, 1) - worsened.select(1, 0);  // above 0: as people preferred
    return -at::log_sigmoid(0.5 * beta * margin).repeat_interleave(2);
}

at::Tensor clipsOrderedAsPreferred(const at::Tensor& losses) {
    return (losses < std::numbers::ln2).sum();  // the loss of a margin of 0
}

}  // namespace dailies::trainer

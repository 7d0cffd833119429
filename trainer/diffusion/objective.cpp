#include "trainer/diffusion/objective.h"

#include "core/base/error.h"
#include "trainer/diffusion/edm.h"
#include "trainer/diffusion/rectified_flow.h"
#include "trainer/diffusion/v_prediction.h"

#include <torch/types.h>

namespace dailies::trainer {

std::unique_ptr<Objective> makeObjective(const config::TrainConfig::Diffusion& config) {
    if (config.objective == "rectified_flow") return std::make_unique<RectifiedFlow>(config);
    if (config.objective == "edm") return std::make_unique<Edm>(config);
    if (config.objective == "v_prediction") return std::make_unique<VPrediction>(config);
    throw InputError("This trainer has no objective \"" + config.objective + "\".",
                     "Choose: rectified_flow, edm, v_prediction.");
}

Prediction predictionOf(const config::TrainConfig::Diffusion& config) {
    return config.prediction == "velocity" ? Prediction::velocity : Prediction::clip;
}

at::Tensor perClip(const at::Tensor& values, std::int64_t dims) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(dims), 1);
    shape[0] = values.size(0);
    return values.view(shape);
}

at::Tensor meanSquares(const at::Tensor& error) {
    return at::square(error).flatten(1).mean(1);
}

}  // namespace dailies::trainer

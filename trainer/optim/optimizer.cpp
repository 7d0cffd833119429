#include "trainer/optim/optimizer.h"

#include "core/base/error.h"
#include "trainer/optim/adamw.h"
#include "trainer/optim/adamw8bit.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

using OptimizerMaker = std::unique_ptr<Optimizer> (*)(const Params&, const config::TrainConfig::Optimizer&);

struct NamedOptimizer {
    const char* name;
    OptimizerMaker make;
};

template <class O>
std::unique_ptr<Optimizer> makeOne(const Params& weights, const config::TrainConfig::Optimizer& config) {
    return std::make_unique<O>(weights, config);
}

constexpr NamedOptimizer kOptimizers[] = {
    {"adamw", makeOne<AdamW>},
    {"adamw8bit", makeOne<AdamW8bit>},
};

}  // namespace

std::unique_ptr<Optimizer> makeOptimizer(const Params& weights,
                                         const config::TrainConfig::Optimizer& config) {
    for (const auto& optimizer : kOptimizers)
        if (config.name == optimizer.name) return optimizer.make(weights, config);
    throw InputError("optimizer.name: this trainer has no optimizer \"" + config.name + "\".");
}

bool decays(const std::string& name, const at::Tensor& weight) {
    return weight.dim() >= 2 && name.ends_with(".weight");
}

}  // namespace dailies::trainer

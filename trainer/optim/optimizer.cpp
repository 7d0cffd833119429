#include "trainer/optim/optimizer.h"

#include "core/base/error.h"
#include "trainer/optim/adamw.h"
#include "trainer/optim/adamw8bit.h"
#include "trainer/optim/cpu_offload_optimizer.h"
#include "trainer/optim/muon.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

using OptimizerMaker = std::unique_ptr<Optimizer> (*)(const Params&, const config::TrainConfig::Optimizer&,
                                                      const TensorRanges&);

struct NamedOptimizer {
    const char* name;
    OptimizerMaker make;
};

template <class O>
std::unique_ptr<Optimizer> makeOne(const Params& weights, const config::TrainConfig::Optimizer& config,
                                   const TensorRanges& ranges) {
    return std::make_unique<O>(weights, config, ranges);
}

constexpr NamedOptimizer kOptimizers[] = {
    {"adamw", makeOne<AdamW>},
    {"adamw8bit", makeOne<AdamW8bit>},
    {"muon", makeOne<Muon>},
};

}  // namespace

std::unique_ptr<Optimizer> makeOptimizer(const Params& weights, const config::TrainConfig::Optimizer& config,
                                         const TensorRanges& ranges) {
    if (config.offload && !weights.tensors().front().is_cpu()) {
        auto onHost = config;
        onHost.offload = false;
        return std::make_unique<CpuOffloadOptimizer>(
            weights, [&](const Params& host) { return makeOptimizer(host, onHost, ranges); });
    }
    for (const auto& optimizer : kOptimizers)
        if (config.name == optimizer.name) return optimizer.make(weights, config, ranges);
    throw InputError("optimizer.name: this trainer has no optimizer \"" + config.name + "\".");
}

WeightInfo weightInfo(const std::string& name, const at::Tensor& weight, const TensorRanges& ranges) {
    const auto found = ranges.find(name);
    const bool whole = found == ranges.end();
    const auto dims = whole ? weight.dim() : static_cast<std::int64_t>(found->second.shape.size());
    return {dims >= 2 && name.ends_with(".weight"), whole ? weight.numel() : found->second.elements(),
            whole ? std::nullopt : std::optional(found->second)};
}

TensorRange updatesRange(const TensorRange& ofWeight) {
    const auto& intervals = ofWeight.cut.intervals;
    const bool hasFirst = ofWeight.begin == 0 && (intervals.empty() || intervals.front().first == 0);
    return {{}, 0, hasFirst && ofWeight.written};
}

}  // namespace dailies::trainer

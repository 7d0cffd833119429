#include "trainer/optim/optimizer.h"

#include "core/base/error.h"
#include "core/config/lr_factors.h"
#include "trainer/optim/adamw.h"
#include "trainer/optim/adamw8bit.h"
#include "trainer/optim/cpu_offload_optimizer.h"
#include "trainer/optim/grouped_optimizer.h"
#include "trainer/optim/muon.h"

#include <torch/types.h>

#include <algorithm>

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
    if (!config.lr_factors.empty()) {
        std::vector<config::LrFactor> lines;
        for (const auto& line : config.lr_factors) lines.push_back(config::parseLrFactor(line));
        std::vector<double> factors;
        for (const auto& name : weights.names()) factors.push_back(config::lrFactorOf(lines, name));
        auto ofGroup = config;
        ofGroup.lr_factors.clear();
        return std::make_unique<GroupedOptimizer>(
            weights, factors, [&](const Params& some) { return makeOptimizer(some, ofGroup, ranges); });
    }
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

void requireLrFactorsNameWeights(const config::TrainConfig::Optimizer& config,
                                 const std::vector<std::string>& names) {
    for (const auto& line : config.lr_factors) {
        const auto factor = config::parseLrFactor(line);
        if (std::ranges::none_of(names, [&](const auto& name) { return factor.matches(name); }))
            throw InputError("optimizer.lr_factors: found " + line +
                                 ", which no trained weight matches; expected parts of names such as " +
                                 names.front() + ".",
                             "Correct the part before the = or leave the line out.");
    }
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

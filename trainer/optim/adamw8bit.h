#pragma once

#include "trainer/optim/adamw.h"

namespace dailies::trainer {

/// One weight with its moments in 8 bits: for every 256 elements in order, one float32 scale (the block's
/// largest magnitude) and a code of DynamicMap each.
struct QuantisedWeight {
    static constexpr std::int64_t kBlock = 256;

    explicit QuantisedWeight(const at::Tensor& weight);

    at::Tensor weight;                     ///< flat
    at::Tensor firstCodes, secondCodes;    ///< U8, shaped like the weight
    at::Tensor firstScales, secondScales;  ///< [blocks]
    at::Tensor updates;                    ///< 0-dim, on the CPU: how often it was updated
};

/// The numbers of one AdamW update that do not depend on the weight.
struct AdamWSettings {
    double learningRate = 0, beta1 = 0, beta2 = 0, weightDecay = 0;
    double correction1 = 1, correction2 = 1;  ///< 1 - beta^updates, after this update
};

/// One update: dequantise, AdamW in float32, quantise. In one pass over the memory of a CPU, and in
/// LibTorch's operations for any device; both round alike but for ties.
void updateOnCpu(QuantisedWeight& weight, const at::Tensor& gradient, const AdamWSettings& settings);
void updateGeneric(QuantisedWeight& weight, const at::Tensor& gradient, const AdamWSettings& settings);

/// AdamW with block-wise 8-bit moments (Dettmers et al. 2022, arXiv 2110.02861), as bitsandbytes' AdamW8bit
/// does it. Weights of fewer than 4096 elements keep float32 moments: they take no memory, and norms and
/// biases are the most sensitive. A part of a weight begins at a multiple of the block.
class AdamW8bit final : public Optimizer {
public:
    static constexpr std::int64_t kSmallest = 4096;

    AdamW8bit(const Params& weights, const config::TrainConfig::Optimizer& config,
              const TensorRanges& ranges = {});

    void step(const std::vector<at::Tensor>& gradients, double learningRate) override;
    Params state() const override;
    TensorRanges stateRanges() const override;

private:
    struct Member {
        std::string name;
        std::size_t index = 0;  ///< among the gradients
        WeightInfo facts;
        QuantisedWeight quantised;
    };

    config::TrainConfig::Optimizer m_config;
    std::vector<Member> m_large;
    std::vector<std::size_t> m_smallIndices;
    std::unique_ptr<AdamW> m_small;
};

}  // namespace dailies::trainer

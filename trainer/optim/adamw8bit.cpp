#include "trainer/optim/adamw8bit.h"

#include "trainer/optim/dynamic_map.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kBlock = QuantisedWeight::kBlock;
constexpr float kSmallestScale = 1e-38F;  // of a block of zeros
constexpr std::int64_t kElementsAtOnce =
    (std::int64_t{1} << 24);  // elements: bounds the temporaries on a device

/// The moments of one block in full precision.
struct FullBlock {
    float first[kBlock], second[kBlock];
};

float largestMagnitude(const float* values, std::int64_t count) {
    float largest = 0;
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
    return largest;
}

void encodeBlock(const float* values, std::int64_t count, const DynamicMap& map, std::uint8_t* codes,
                 float& scale) {
    scale = largestMagnitude(values, count);
    const float inverse = 1 / std::max(scale, kSmallestScale);
    for (std::int64_t i = 0; i < count; ++i) codes[i] = map.encode(values[i] * inverse);
}

/// The midpoints and the values of a map as tensors.
struct MapTensors {
    MapTensors(const DynamicMap& map, at::Device device)
        : values(at::tensor(at::ArrayRef<float>(map.values().data(), 256)).to(device)),
          bounds(at::tensor(at::ArrayRef<float>(map.bounds().data(), 255)).to(device)) {}
    at::Tensor values, bounds;
};

at::Tensor decoded(const at::Tensor& codes, const at::Tensor& scales, const MapTensors& map) {
    return map.values.index_select(0, codes.to(at::kInt)).view({-1, kBlock}) * scales.unsqueeze(1);
}

void encodeInto(const at::Tensor& blocks, at::Tensor codes, at::Tensor scales, const MapTensors& map) {
    scales.copy_(blocks.abs().amax(1));
    const auto unit = blocks * scales.clamp_min(kSmallestScale).reciprocal().unsqueeze(1);
    codes.copy_(at::bucketize(unit, map.bounds, /*out_int32=*/true).flatten().narrow(0, 0, codes.numel()));
}

at::Tensor paddedToBlocks(const at::Tensor& flat) {
    const auto missing = (kBlock - flat.numel() % kBlock) % kBlock;
    return missing == 0 ? flat : at::constant_pad_nd(flat, {0, missing});
}

}  // namespace

QuantisedWeight::QuantisedWeight(const at::Tensor& whole)
    : weight(whole.detach().view({-1})),
      firstCodes(at::full(whole.sizes(), DynamicMap::ofSigned().encode(0), whole.options().dtype(at::kByte))),
      secondCodes(
          at::full(whole.sizes(), DynamicMap::ofUnsigned().encode(0), whole.options().dtype(at::kByte))),
      firstScales(at::zeros({(whole.numel() + kBlock - 1) / kBlock}, whole.options().requires_grad(false))),
      secondScales(at::zeros_like(firstScales)),
      updates(at::zeros({}, at::kFloat)) {}

void updateOnCpu(QuantisedWeight& q, const at::Tensor& gradient, const AdamWSettings& s) {
    const auto& firstMap = DynamicMap::ofSigned();
    const auto& secondMap = DynamicMap::ofUnsigned();
    const auto plainGradient = gradient.contiguous();
    auto* weights = q.weight.mutable_data_ptr<float>();
    const auto* gradients = plainGradient.const_data_ptr<float>();
    auto* firstCodes = q.firstCodes.mutable_data_ptr<std::uint8_t>();
    auto* secondCodes = q.secondCodes.mutable_data_ptr<std::uint8_t>();
    auto* firstScales = q.firstScales.mutable_data_ptr<float>();
    auto* secondScales = q.secondScales.mutable_data_ptr<float>();
    const auto total = q.weight.numel();
    const auto beta1 = static_cast<float>(s.beta1), beta2 = static_cast<float>(s.beta2);
    const auto keep = static_cast<float>(1 - s.learningRate * s.weightDecay);
    const auto rate = static_cast<float>(s.learningRate / s.correction1);
    const auto root2 = static_cast<float>(1 / std::sqrt(s.correction2));
    const auto epsilon = static_cast<float>(kAdamEpsilon);
    const auto blocks = q.firstScales.numel();
    at::parallel_for(0, blocks, /*grain_size=*/64, [&](std::int64_t firstBlock, std::int64_t lastBlock) {
        FullBlock full;
        for (auto block = firstBlock; block < lastBlock; ++block) {
            const auto at = block * kBlock, count = std::min(kBlock, total - at);
            const float scale1 = firstScales[block], scale2 = secondScales[block];
            for (std::int64_t i = 0; i < count; ++i) {
                full.first[i] = firstMap.decode(firstCodes[at + i]) * scale1;
                full.second[i] = secondMap.decode(secondCodes[at + i]) * scale2;
            }
            for (std::int64_t i = 0; i < count; ++i) {
                const float g = gradients[at + i];
                full.first[i] = beta1 * full.first[i] + (1 - beta1) * g;
                full.second[i] = beta2 * full.second[i] + (1 - beta2) * g * g;
                weights[at + i] = keep * weights[at + i] -
                                  rate * full.first[i] / (std::sqrt(full.second[i]) * root2 + epsilon);
            }
            encodeBlock(full.first, count, firstMap, firstCodes + at, firstScales[block]);
            encodeBlock(full.second, count, secondMap, secondCodes + at, secondScales[block]);
        }
    });
}

void updateGeneric(QuantisedWeight& q, const at::Tensor& gradient, const AdamWSettings& s) {
    const MapTensors firstMap(DynamicMap::ofSigned(), q.weight.device());
    const MapTensors secondMap(DynamicMap::ofUnsigned(), q.weight.device());
    const auto flatGradient = gradient.reshape({-1});
    const auto firstCodes = q.firstCodes.view({-1}), secondCodes = q.secondCodes.view({-1});
    for (std::int64_t at = 0; at < q.weight.numel(); at += kElementsAtOnce) {
        const auto count = std::min(kElementsAtOnce, q.weight.numel() - at);
        const auto block = at / kBlock, blocks = (count + kBlock - 1) / kBlock;
        const auto codes1 = firstCodes.narrow(0, at, count), codes2 = secondCodes.narrow(0, at, count);
        const auto scales1 = q.firstScales.narrow(0, block, blocks);
        const auto scales2 = q.secondScales.narrow(0, block, blocks);
        const auto g = paddedToBlocks(flatGradient.narrow(0, at, count)).view({-1, kBlock});
        const auto first =
            decoded(paddedToBlocks(codes1), scales1, firstMap).mul_(s.beta1).add_(g, 1 - s.beta1);
        const auto second =
            decoded(paddedToBlocks(codes2), scales2, secondMap).mul_(s.beta2).addcmul_(g, g, 1 - s.beta2);
        // what pads the last block is no element: its codes decode to a moment that must not set the scale
        if (blocks * kBlock > count) {
            first.view({-1}).narrow(0, count, blocks * kBlock - count).zero_();
            second.view({-1}).narrow(0, count, blocks * kBlock - count).zero_();
        }
        const auto divisor = second.sqrt().div_(std::sqrt(s.correction2)).add_(kAdamEpsilon);
        q.weight.narrow(0, at, count)
            .mul_(1 - s.learningRate * s.weightDecay)
            .sub_((first / divisor).flatten().narrow(0, 0, count), s.learningRate / s.correction1);
        encodeInto(first, codes1, scales1, firstMap);
        encodeInto(second, codes2, scales2, secondMap);
    }
}

AdamW8bit::AdamW8bit(const Params& weights, const config::TrainConfig::Optimizer& config,
                     const TensorRanges& ranges)
    : m_config(config) {
    Params small;
    TensorRanges smallRanges;
    for (std::size_t i = 0; i < weights.names().size(); ++i) {
        const auto& name = weights.names()[i];
        const auto& weight = weights.tensors()[i];
        auto facts = weightInfo(name, weight, ranges);
        if (facts.elements < kSmallest) {
            small.add(name, weight);
            if (facts.range) smallRanges[name] = *facts.range;
            m_smallIndices.push_back(i);
        } else {
            m_large.push_back({name, i, std::move(facts), QuantisedWeight(weight)});
        }
    }
    m_small = std::make_unique<AdamW>(small, config, smallRanges);
}

void AdamW8bit::step(const std::vector<at::Tensor>& gradients, double learningRate) {
    std::vector<at::Tensor> small;
    for (const auto i : m_smallIndices) small.push_back(gradients[i]);
    m_small->step(small, learningRate);
    for (auto& member : m_large) {
        auto& updates = member.quantised.updates.add_(1);
        const double count = updates.item<double>();
        const AdamWSettings settings{learningRate,
                                     m_config.beta1,
                                     m_config.beta2,
                                     member.facts.decays ? m_config.weight_decay : 0,
                                     1 - std::pow(m_config.beta1, count),
                                     1 - std::pow(m_config.beta2, count)};
        const auto& gradient = gradients[member.index];
        if (member.quantised.weight.is_cpu())
            updateOnCpu(member.quantised, gradient, settings);
        else
            updateGeneric(member.quantised, gradient, settings);
    }
}

Params AdamW8bit::state() const {
    auto state = m_small->state();
    for (const auto& [name, index, facts, quantised] : m_large) {
        state.add(name + ".first_moment", quantised.firstCodes);
        state.add(name + ".first_scale", quantised.firstScales);
        state.add(name + ".second_moment", quantised.secondCodes);
        state.add(name + ".second_scale", quantised.secondScales);
        state.add(name + ".updates", quantised.updates);
    }
    return state;
}

TensorRanges AdamW8bit::stateRanges() const {
    auto ranges = m_small->stateRanges();
    for (const auto& member : m_large) {
        const auto& range = member.facts.range;
        if (!range) continue;
        const TensorRange scales{{(range->elements() + kBlock - 1) / kBlock}, range->begin / kBlock};
        for (const auto* moment : {".first", ".second"}) {
            ranges[member.name + moment + "_moment"] = *range;
            ranges[member.name + moment + "_scale"] = scales;
        }
        ranges[member.name + ".updates"] = updatesRange(*range);
    }
    return ranges;
}

}  // namespace dailies::trainer

#include "trainer/optim/muon.h"

#include "core/base/error.h"
#include "trainer/optim/master_weights.h"

#include <ATen/Version.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

namespace {

constexpr double kMomentum = 0.95;
constexpr int kIterations = 5;
constexpr double kSlope = 3.4445, kCubic = -4.7750, kQuintic = 2.0315;  // Jordan's polynomial
constexpr double kSmallestNorm = 1e-7;
constexpr double kAdamSize = 0.2;  // root mean square of AdamW's updates

bool isTaken(const std::string& name, const at::Tensor& weight) {
    return weight.dim() == 2 && computesInBf16(name);
}

Params othersOf(const Params& weights) {
    Params others;
    for (const auto& name : weights.names())
        if (!isTaken(name, weights[name])) others.add(name, weights[name]);
    return others;
}

}  // namespace

at::Tensor orthogonalised(const at::Tensor& matrix) {
    const bool isTall = matrix.size(0) > matrix.size(1);
    // CPUs without AVX-512 multiply bfloat16 number by number, minutes for a matrix: there the same values
    // are multiplied as float32
    const bool isSlow = matrix.is_cpu() && at::get_cpu_capability() != "AVX512";
    const auto rounded = [isSlow](const at::Tensor& values) {
        const auto bf16 = values.to(at::kBFloat16);
        return isSlow ? bf16.to(at::kFloat) : bf16;
    };
    auto x = rounded(matrix);
    if (isTall) x = x.t();
    x = rounded(x / rounded(x.norm().clamp_min(kSmallestNorm)));
    for (int i = 0; i < kIterations; ++i) {
        const auto gram = rounded(at::mm(x, x.t()));
        x = rounded(at::addmm(x, rounded(at::addmm(gram, gram, gram, kCubic, kQuintic)), x, kSlope));
    }
    return (isTall ? x.t() : x).to(at::kBFloat16);
}

Muon::Muon(const Params& weights, const config::TrainConfig::Optimizer& config, const TensorRanges& ranges)
    : m_weightDecay(config.weight_decay), m_rest(othersOf(weights), config) {
    if (!ranges.empty())
        throw InputError("optimizer.name: found muon for parts of weights, expected whole ones.",
                         "layout.shard none leaves them whole.");
    for (std::size_t i = 0; i < weights.names().size(); ++i) {
        const auto& name = weights.names()[i];
        const auto weight = weights.tensors()[i].detach();
        if (isTaken(name, weight))
            m_members.push_back({i, name, weight, at::zeros_like(weight), matricesOf(name, weight)});
        else
            m_others.push_back(i);
    }
}

std::vector<Muon::Rows> Muon::matricesOf(const std::string& name, const at::Tensor& weight) {
    const auto rows = weight.size(0), width = weight.size(1);
    if (name.ends_with(".qkv.weight") && rows > width && (rows - width) % 2 == 0) {
        const auto keys = (rows - width) / 2;  // fewer where several heads share them
        return {{0, width}, {width, keys}, {width + keys, keys}};
    }
    if (name.ends_with(".key_value.weight") && rows % 2 == 0) return {{0, rows / 2}, {rows / 2, rows / 2}};
    return {{0, rows}};
}

void Muon::step(const std::vector<at::Tensor>& gradients, double learningRate) {
    for (auto& member : m_members) {
        const auto& gradient = gradients[member.index];
        member.moment.lerp_(gradient, 1 - kMomentum);
        const auto update = gradient.lerp(member.moment, kMomentum);
        member.weight.mul_(1 - learningRate * m_weightDecay);
        for (const auto& [first, count] : member.matrices) {
            const auto direction = orthogonalised(update.narrow(0, first, count));
            const auto longer = static_cast<double>(std::max(count, update.size(1)));
            member.weight.narrow(0, first, count)
                .add_(direction.to(member.weight.scalar_type()),
                      -learningRate * kAdamSize * std::sqrt(longer));
        }
    }
    std::vector<at::Tensor> ofOthers;
    for (const auto index : m_others) ofOthers.push_back(gradients[index]);
    m_rest.step(ofOthers, learningRate);
}

Params Muon::state() const {
    auto state = m_rest.state();
    for (const auto& member : m_members) state.add(member.name + ".moment", member.moment);
    return state;
}

}  // namespace dailies::trainer

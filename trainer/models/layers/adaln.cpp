#include "trainer/models/layers/adaln.h"

#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

namespace {

std::string lowRank(const std::string& name, std::int64_t subLayer) {
    return name + ".adaln." + std::to_string(subLayer);
}

at::Tensor throughLowRank(const Params& weights, const std::string& name, const at::Tensor& x) {
    return fp32ColumnParallelLinear(weights, name + ".up", fp32Linear(weights, name + ".down", x));
}

}  // namespace

AdaLn::AdaLn(std::string kind, std::int64_t width, std::int64_t rank, std::int64_t subLayers, bool bias)
    : m_kind(std::move(kind)), m_width(width), m_rank(rank), m_subLayers(subLayers), m_bias(bias) {}

void AdaLn::declareTime(WeightInitializer& make) const {
    make.linear("time.in", m_width, timeChannels(), m_bias);
    if (m_kind == "lora") {
        make.zeroLinear("time.out", 3 * m_width, m_width, m_bias);
        make.ones("time.norm.weight", {timeChannels()});
        return;
    }
    make.linear("time.out", m_width, m_width, m_bias);
}

void AdaLn::declareShared(WeightInitializer& make) const {
    if (m_kind == "single") make.zeroLinear("modulation", 3 * m_subLayers * m_width, m_width, m_bias);
}

void AdaLn::declareBlock(WeightInitializer& make, const std::string& name) const {
    const auto rows = 3 * m_subLayers;
    if (m_kind == "single") make.zeros(name + ".modulation", {rows, m_width});
    if (m_kind == "full") make.zeroLinear(name + ".modulation", rows * m_width, m_width, m_bias);
    if (m_kind != "lora") return;
    for (std::int64_t i = 0; i < m_subLayers; ++i) {
        make.linear(lowRank(name, i) + ".down", m_rank, m_width, false);
        make.zeroLinear(lowRank(name, i) + ".up", 3 * m_width, m_rank, false);
    }
}

void AdaLn::declareFinal(WeightInitializer& make) const {
    if (m_kind == "lora") {
        make.linear("final.adaln.down", m_rank, m_width, false);
        make.zeroLinear("final.adaln.up", 2 * m_width, m_rank, false);
        return;
    }
    make.zeroLinear("final.modulation", 2 * m_width, m_width, m_bias);
}

AdaLn::Conditioning AdaLn::conditioning(const Params& weights, const at::Tensor& sinusoids,
                                        const at::Tensor& caption) const {
    const auto inner = at::silu(fp32Linear(weights, "time.in", sinusoids));
    const auto time = fp32Linear(weights, "time.out", inner);
    const auto withCaption = [&](const at::Tensor& x) { return caption.defined() ? x + caption : x; };
    if (m_kind == "lora")
        return {at::silu(withCaption(rmsNorm(sinusoids, weights["time.norm.weight"]))), time};
    const auto signal = at::silu(withCaption(time));
    if (m_kind == "full") return {signal, {}};
    return {signal,
            fp32ColumnParallelLinear(weights, "modulation", signal).view({-1, 3 * m_subLayers, m_width})};
}

std::vector<at::Tensor> AdaLn::block(const Params& weights, const std::string& name,
                                     const Conditioning& conditioning) const {
    if (m_kind == "single") return (conditioning.shared + weights[name + ".modulation"]).unbind(1);
    if (m_kind == "full")
        return fp32ColumnParallelLinear(weights, name + ".modulation", conditioning.signal)
            .view({-1, 3 * m_subLayers, m_width})
            .unbind(1);
    std::vector<at::Tensor> rows;
    for (std::int64_t i = 0; i < m_subLayers; ++i)
        for (const auto& row :
             (throughLowRank(weights, lowRank(name, i), conditioning.signal) + conditioning.shared)
                 .chunk(3, -1))
            rows.push_back(row);
    return rows;
}

std::vector<at::Tensor> AdaLn::last(const Params& weights, const Conditioning& conditioning) const {
    if (m_kind == "lora")
        return (throughLowRank(weights, "final.adaln", conditioning.signal) +
                conditioning.shared.narrow(-1, 0, 2 * m_width))
            .chunk(2, -1);
    return fp32ColumnParallelLinear(weights, "final.modulation", conditioning.signal)
        .view({-1, 2, m_width})
        .unbind(1);
}

std::int64_t AdaLn::sharedFlops() const {
    const auto time = 2 * m_width * (timeChannels() + (m_kind == "lora" ? 3 : 1) * m_width);
    const auto last = m_kind == "lora" ? 2 * m_rank * 3 * m_width : 2 * m_width * 2 * m_width;
    const auto shared = m_kind == "single" ? 2 * m_width * 3 * m_subLayers * m_width : 0;
    return time + last + shared;
}

std::int64_t AdaLn::blockFlops() const {
    if (m_kind == "full") return 2 * m_width * 3 * m_subLayers * m_width;
    if (m_kind == "lora") return m_subLayers * 2 * m_rank * 4 * m_width;
    return 0;
}

}  // namespace dailies::trainer::layers

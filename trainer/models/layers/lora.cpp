#include "trainer/models/layers/lora.h"

#include "core/base/error.h"
#include "trainer/models/layers/adapted_linear.h"
#include "trainer/tensors/random.h"

#include <ATen/Context.h>
#include <torch/types.h>

namespace dailies::trainer::layers {

namespace {

constexpr std::int64_t kChannels = -1;

/// Random numbers that are those of the key alone, drawn where they are needed.
at::Generator generatorOf(std::uint64_t key, at::Device device) {
    auto generator = at::globalContext().defaultGenerator(device).clone();
    generator.set_current_seed(key);
    return generator;
}

}  // namespace

at::Tensor linearWithLora(const Params& weights, const std::string& name, const at::Tensor& x,
                          const at::Tensor& bias) {
    const auto& weight = weights[name + ".weight"];
    const auto* lora = weights.lora();
    return lora ? (*lora)(weights, name, x, weight, bias) : at::linear(x, weight, bias);
}

at::Tensor Lora::operator()(const Params& weights, const std::string& layer, const at::Tensor& x,
                            const at::Tensor& weight, const at::Tensor& bias) const {
    const auto found = m_layers.find(layer);
    if (found == m_layers.end()) return at::linear(x, weight, bias);
    const bool isConstant = !weight.requires_grad() && !(bias.defined() && bias.requires_grad());
    if (drops() || !isConstant) return addedTo(at::linear(x, weight, bias), found->second, weights, x);
    std::vector<AdaptedRows> adapted;
    std::int64_t first = 0;
    for (const auto& [rows, adapter] : found->second) {
        if (!adapter.empty())
            adapted.push_back(
                {first, weights[adapter + ".lora_A.weight"], weights[adapter + ".lora_B.weight"]});
        first += rows;
    }
    return adaptedLinear(x, weight, bias, adapted, m_scale);
}

/// By single operations: each adapter reads other values of `x`, or the layer's own weights learn.
at::Tensor Lora::addedTo(const at::Tensor& y, const std::vector<Matrix>& matrices, const Params& weights,
                         const at::Tensor& x) const {
    std::vector<at::Tensor> parts;
    std::int64_t first = 0;
    for (const auto& [rows, adapter] : matrices) {
        const auto part = y.narrow(kChannels, first, rows);
        first += rows;
        if (adapter.empty()) {
            parts.push_back(part);
            continue;
        }
        const auto inner = at::linear(dropped(x, adapter), weights[adapter + ".lora_A.weight"]);
        const auto added = at::linear(inner, weights[adapter + ".lora_B.weight"]);
        parts.push_back(at::add(part, added, m_scale));
    }
    return parts.size() == 1 ? parts.front() : at::cat(parts, kChannels);
}

at::Tensor Lora::dropped(const at::Tensor& x, const std::string& adapter) const {
    if (!drops()) return x;
    if (x.size(0) != static_cast<std::int64_t>(m_dropoutKeys.size()))
        throw Error("Dropout has keys for " + std::to_string(m_dropoutKeys.size()) + " clips, and " +
                    adapter + " reads " + std::to_string(x.size(0)) + ".");
    at::Tensor mask;
    {
        const at::NoGradGuard noGradients;
        std::vector<at::Tensor> kept;
        for (const auto clip : m_dropoutKeys) {
            // a pass that is computed again for backward must drop the same: no generator goes on
            const auto key = randomKey(static_cast<std::int64_t>(clip), Stream::dropout, hashText(adapter));
            kept.push_back(at::empty(x.sizes().slice(1), x.options().requires_grad(false))
                               .bernoulli_(1 - m_dropout, generatorOf(key, x.device())));
        }
        mask = at::stack(kept).div_(1 - m_dropout);
    }
    return x * mask;
}

}  // namespace dailies::trainer::layers

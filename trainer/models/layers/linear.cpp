#include "trainer/models/layers/linear.h"

#include "trainer/models/layers/lora.h"
#include "trainer/models/layers/tensor_parallel_comm.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

namespace dailies::trainer::layers {

namespace {

constexpr std::int64_t kTokens = 1;  // the axis that counts them

}  // namespace

at::Tensor linear(const Params& weights, const std::string& name, const at::Tensor& x) {
    const auto bias = name + ".bias";
    return linearWithLora(weights, name, x, weights.contains(bias) ? weights[bias] : at::Tensor());
}

at::Tensor fp32Linear(const Params& weights, const std::string& name, const at::Tensor& x) {
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    const bool isDouble = weights[name + ".weight"].scalar_type() == at::kDouble;
    return linear(weights, name, x.to(isDouble ? at::kDouble : at::kFloat));
}

at::Tensor columnParallelLinear(const Params& weights, const std::string& name, const at::Tensor& tokens) {
    const auto* share = weights.tensorParallel();
    return linear(weights, name, share ? share->allGather(tokens, kTokens) : tokens);
}

at::Tensor rowParallelLinear(const Params& weights, const std::string& name, const at::Tensor& x) {
    const auto* share = weights.tensorParallel();
    if (!share) return linear(weights, name, x);
    const auto sum = share->reduceScatter(linearWithLora(weights, name, x), kTokens);
    const auto bias = name + ".bias";
    return weights.contains(bias) ? sum + weights[bias].to(sum.scalar_type()) : sum;
}

at::Tensor fp32ColumnParallelLinear(const Params& weights, const std::string& name, const at::Tensor& x) {
    const auto own = fp32Linear(weights, name, x);
    return weights.tensorParallel() ? weights.tensorParallel()->allGather(own, -1) : own;
}

}  // namespace dailies::trainer::layers

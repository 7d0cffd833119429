#include "trainer/parallel/gradients.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

namespace dailies::trainer {

namespace {

/// Gathers the gradients of a weight of fewer bits in float32, as backward delivers them.
class SumInFloat : public torch::autograd::PostAccumulateGradHook {
public:
    explicit SumInFloat(at::Tensor sum) : m_sum(std::move(sum)) {}
    void operator()(const torch::autograd::Variable& weight) override {
        const at::NoGradGuard noGradients;
        m_sum.add_(weight.grad());
        weight.mutable_grad().reset();
    }

private:
    at::Tensor m_sum;
};

}  // namespace

Gradients::Gradients(const Params& weights, std::int64_t bucketBytes) {
    const auto& tensors = weights.tensors();
    for (std::size_t first = 0; first < tensors.size();) {
        std::int64_t elements = tensors[first].numel();
        std::size_t last = first + 1;
        for (; last < tensors.size(); ++last) {
            const auto grown = elements + tensors[last].numel();
            if (grown * static_cast<std::int64_t>(sizeof(float)) > bucketBytes) break;
            elements = grown;
        }
        auto bucket = at::zeros({elements}, tensors[first].options().dtype(at::kFloat).requires_grad(false));
        for (std::int64_t offset = 0; first < last; ++first) {
            auto weight = tensors[first];
            weight.set_requires_grad(true);
            m_views.push_back(bucket.narrow(0, offset, weight.numel()).view(weight.sizes()));
            if (weight.scalar_type() == at::kFloat)
                weight.mutable_grad() = m_views.back();
            else
                torch::autograd::impl::set_post_acc_grad_hooks(weight,
                                                               std::make_unique<SumInFloat>(m_views.back()));
            offset += weight.numel();
        }
        m_buckets.push_back(std::move(bucket));
    }
}

void Gradients::clear() {
    for (auto& bucket : m_buckets) bucket.zero_();
}

void Gradients::sumOver(Communicator& ranks) {
    for (auto& bucket : m_buckets) ranks.sum(bucket);
}

at::Tensor Gradients::norm() const {
    std::vector<at::Tensor> norms;
    for (const auto& bucket : m_buckets) norms.push_back(at::linalg_vector_norm(bucket));
    return at::linalg_vector_norm(at::stack(norms));
}

void Gradients::scale(const at::Tensor& factor) {
    for (auto& bucket : m_buckets) bucket.mul_(factor);
}

}  // namespace dailies::trainer

#include "trainer/parallel/weight_shards.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

std::vector<at::Tensor> emptyBuckets(const FlatLayout& layout, const at::TensorOptions& options) {
    std::vector<at::Tensor> buckets;
    for (std::size_t i = 0; i < layout.buckets(); ++i)
        buckets.push_back(at::zeros({layout.bucketElements(i)}, options));
    return buckets;
}

}  // namespace

WeightShards::WeightShards(const Params& weights, Communicator& ranks)
    : m_ranks(ranks), m_layout(weights, ranks.size()) {
    if (!divided()) {
        m_all = m_own = weights;
        return;
    }
    const auto& names = weights.names();
    m_buckets = emptyBuckets(m_layout, weights.tensors().front().options().requires_grad(false));
    const auto views = m_layout.views(weights, m_buckets);
    for (std::size_t i = 0; i < names.size(); ++i) {
        views[i].copy_(weights.tensors()[i]);
        m_all.add(names[i], views[i].variable_data());  // for autograd a tensor of its own, not a view
    }
    for (const auto& piece : m_layout.piecesOf(m_ranks.rank())) {
        const auto& name = names[piece.weight];
        m_own.add(name,
                  pieceIn(m_buckets[piece.bucket], piece.bucket).narrow(0, piece.offset, piece.elements));
        m_ranges[name] = {weights.tensors()[piece.weight].sizes().vec(), piece.begin};
    }
}

at::Tensor WeightShards::pieceIn(const at::Tensor& bucket, std::size_t index) const {
    const auto elements = m_layout.pieceElements(index);
    return bucket.narrow(0, m_ranks.rank() * elements, elements);
}

void WeightShards::gather() {
    const at::NoGradGuard noGradients;
    std::vector<Pending> gathers;
    for (std::size_t i = 0; i < m_buckets.size(); ++i)
        gathers.push_back(m_ranks.startGather(m_buckets[i], pieceIn(m_buckets[i], i)));
    for (auto& gather : gathers) gather.wait();
}

Params WeightShards::gathered(const Params& own) const {
    if (!divided()) return own;
    const at::NoGradGuard noGradients;
    const auto buckets = emptyBuckets(m_layout, m_buckets.front().options());
    std::size_t next = 0;
    for (const auto& piece : m_layout.piecesOf(m_ranks.rank()))
        pieceIn(buckets[piece.bucket], piece.bucket)
            .narrow(0, piece.offset, piece.elements)
            .copy_(own.tensors()[next++]);
    for (std::size_t i = 0; i < buckets.size(); ++i)
        m_ranks.startGather(buckets[i], pieceIn(buckets[i], i)).wait();
    const auto views = m_layout.views(m_all, buckets);
    Params whole;
    for (std::size_t i = 0; i < views.size(); ++i) whole.add(m_all.names()[i], views[i]);
    return whole;
}

}  // namespace dailies::trainer

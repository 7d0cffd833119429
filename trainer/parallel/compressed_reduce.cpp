#include "trainer/parallel/compressed_reduce.h"

#include <torch/types.h>

namespace dailies::trainer {

CompressedReduce::CompressedReduce(ProcessGroup& ranks, const at::Tensor& part, at::ScalarType type)
    : m_ranks(ranks) {
    const at::NoGradGuard noGradients;
    const auto count = ranks.size(), piece = (part.numel() + count - 1) / count;
    m_sent = part.reshape({-1}).to(type);
    if (const auto missing = piece * count - part.numel(); missing > 0)
        m_sent = at::constant_pad_nd(m_sent, {0, missing});
    m_taken = at::empty_like(m_sent);
    const std::vector<std::int64_t> rows(static_cast<std::size_t>(count), piece);
    m_exchange = ranks.startAllToAll(m_taken, m_sent, rows, rows);
}

at::Tensor CompressedReduce::reducedShard() {
    const at::NoGradGuard noGradients;
    m_exchange.wait();
    return m_taken.view({m_ranks.size(), -1}).sum(0, /*keepdim=*/false, at::kFloat);
}

void CompressedReduce::allGatherInto(const at::Tensor& whole) {
    const at::NoGradGuard noGradients;
    const auto own = reducedShard().to(m_sent.scalar_type());
    m_ranks.startAllGather(m_taken, own).wait();  // what was taken is added up by now
    at::Tensor(whole).copy_(m_taken.narrow(0, 0, whole.numel()).view(whole.sizes()));
}

}  // namespace dailies::trainer

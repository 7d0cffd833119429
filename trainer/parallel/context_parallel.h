#pragma once

#include "trainer/models/layers/sequence_parallel.h"
#include "trainer/parallel/process_group.h"

namespace dailies::trainer {

/// Context parallelism over a grid of ranks: those of `ulysses` exchange tokens for heads, so that each holds
/// all their tokens of some heads (Jacobs et al. 2023, arXiv 2309.14509); those of `ring` pass keys and
/// values round. With both it is USP (Fang & Zhao 2024, arXiv 2405.07719). Frames are exchanged for places
/// among all of them.
class ContextParallel : public layers::SequenceParallel {
public:
    /// `context`: all that share the tokens, in their order: ring by ring, each place of the grid as many
    /// ranks as divide weights. They must outlive this and every backward pass of what it made.
    ContextParallel(ProcessGroup& ulysses, ProcessGroup& ring, ProcessGroup& context)
        : m_ulysses(ulysses), m_ring(ring), m_context(context) {}

    std::int64_t ranks() const override { return m_context.size(); }
    std::int64_t rank() const override { return m_context.rank(); }
    std::int64_t tensorParallelSize() const override {
        return m_context.size() / (m_ring.size() * m_ulysses.size());
    }
    at::Tensor allGather(const at::Tensor& own) const override;
    at::Tensor reshardSpatially(const at::Tensor& ofFrames, std::int64_t frames) const override;
    at::Tensor reshardTemporally(const at::Tensor& ofPlaces, std::int64_t frames) const override;
    at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                      const Attention& local) const override;

private:
    ProcessGroup& m_ulysses;
    ProcessGroup& m_ring;
    ProcessGroup& m_context;
};

}  // namespace dailies::trainer

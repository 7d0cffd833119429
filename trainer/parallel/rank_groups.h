#pragma once

#include "trainer/parallel/context_parallel.h"
#include "trainer/parallel/gradients.h"
#include "trainer/parallel/mesh.h"
#include "trainer/parallel/pipeline_links.h"
#include "trainer/parallel/tensor_parallel.h"

#include <memory>
#include <optional>

namespace dailies::trainer {

/// The groups that a layout makes this rank a member of.
class RankGroups {
public:
    /// All ranks make theirs at the same time. `world` must outlive this.
    RankGroups(const Mesh& mesh, Communicator& world);

    /// The ranks that divide weights' states among themselves; of one rank where nothing is divided.
    Communicator& dividing() const { return *m_shard; }
    GradientSum gradientSum(bool keepsBuckets, bool overlapped) const;
    /// Null where no tokens are shared.
    const layers::TokenShare* tokens() const { return m_tokens.get(); }
    /// The ranks that divide the weights themselves; of one rank where none do.
    Communicator& slicing() const { return *m_tensor; }
    /// Null where the model is whole.
    const PipelineLinks* pipeline() const { return m_pipeline.get(); }
    /// The first ranks of each stage together hold one copy of everything, and write checkpoints: so many.
    std::int64_t ranksThatWrite() const { return m_writers * (m_pipeline ? m_pipeline->stages() : 1); }
    /// This rank's place among them, where it is one.
    std::optional<std::int64_t> writer() const { return m_writer; }
    /// Null where weights are whole.
    const layers::WeightShare* weights() const { return m_weights.get(); }

private:
    Communicator& m_world;
    std::unique_ptr<Communicator> m_shard, m_replicas;  ///< m_replicas: null where they are the world
    std::unique_ptr<Communicator> m_tensor;
    std::unique_ptr<TensorParallel> m_weights;
    std::unique_ptr<PipelineLinks> m_pipeline;
    std::int64_t m_writers;  ///< of a stage
    std::optional<std::int64_t> m_writer;
    std::unique_ptr<Communicator> m_ulysses, m_ring, m_context;  ///< null where no tokens are shared
    std::unique_ptr<ContextParallel> m_tokens;
};

}  // namespace dailies::trainer

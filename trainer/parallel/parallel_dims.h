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
class ParallelDims {
public:
    /// All ranks make theirs at the same time. `world` must outlive this.
    ParallelDims(const Mesh& mesh, ProcessGroup& world);

    /// The ranks that divide weights' states among themselves; of one rank where nothing is divided.
    ProcessGroup& shardingGroup() const { return *m_shard; }
    GradientReduceOptions gradientReduceOptions(bool persistentBuckets, bool overlapReduce) const;
    /// Null where no tokens are shared.
    const layers::SequenceParallel* tokens() const { return m_tokens.get(); }
    /// The ranks that divide the weights themselves; of one rank where none do.
    ProcessGroup& tensorParallelGroup() const { return *m_tensor; }
    /// Null where the model is whole.
    const PipelineLinks* pipeline() const { return m_pipeline.get(); }
    /// The first ranks of each stage together hold one copy of everything, and write checkpoints: so many.
    std::int64_t checkpointWriters() const { return m_writers * (m_pipeline ? m_pipeline->stages() : 1); }
    /// This rank's place among them, where it is one.
    std::optional<std::int64_t> checkpointWriterRank() const { return m_writer; }
    /// Null where weights are whole.
    const layers::TensorParallelComm* weights() const { return m_weights.get(); }

private:
    ProcessGroup& m_world;
    std::unique_ptr<ProcessGroup> m_shard, m_replicas;  ///< m_replicas: null where they are the world
    std::unique_ptr<ProcessGroup> m_tensor;
    std::unique_ptr<TensorParallel> m_weights;
    std::unique_ptr<PipelineLinks> m_pipeline;
    std::int64_t m_writers;  ///< of a stage
    std::optional<std::int64_t> m_writer;
    std::unique_ptr<ProcessGroup> m_ulysses, m_ring, m_context;  ///< null where no tokens are shared
    std::unique_ptr<ContextParallel> m_tokens;
};

}  // namespace dailies::trainer

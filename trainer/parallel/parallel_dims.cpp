#include "trainer/parallel/parallel_dims.h"

namespace dailies::trainer {

ParallelDims::ParallelDims(const Mesh& mesh, ProcessGroup& world)
    : m_world(world),
      m_shard(world.newGroup("shard", mesh.shardGroup())),
      m_tensor(world.newGroup("tensor", mesh.tensorGroup())),
      m_writers(m_shard->size() * m_tensor->size()) {
    const auto& sizes = mesh.sizes();
    if (mesh.rankInStage() < m_writers) m_writer = mesh.stage() * m_writers + mesh.rankInStage();
    if (sizes.pp > 1) m_pipeline = std::make_unique<PipelineLinks>(mesh, world);
    if (sizes.shardRanks > 1 || sizes.tp > 1 || sizes.pp > 1)
        m_replicas = world.newGroup("replicas", mesh.replicaGroup());
    if (sizes.tp > 1) m_weights = std::make_unique<TensorParallel>(*m_tensor);
    if (sizes.ranksPerClip() == 1) return;
    m_ulysses = world.newGroup("ulysses", mesh.ulyssesGroup());
    m_ring = world.newGroup("ring", mesh.ringGroup());
    m_context = world.newGroup("context", mesh.contextGroup());
    m_tokens = std::make_unique<ContextParallel>(*m_ulysses, *m_ring, *m_context);
}

GradientReduceOptions ParallelDims::gradientReduceOptions(bool persistentBuckets, bool overlapReduce) const {
    const auto ofSeveral = [](ProcessGroup* ranks) { return ranks->size() > 1 ? ranks : nullptr; };
    return {ofSeveral(m_shard.get()),
            ofSeveral(m_replicas ? m_replicas.get() : &m_world),
            persistentBuckets,
            overlapReduce,
            ofSeveral(m_tensor.get()),
            {},
            m_pipeline ? &m_pipeline->all() : nullptr};
}

}  // namespace dailies::trainer

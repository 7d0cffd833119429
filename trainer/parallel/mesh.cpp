#include "trainer/parallel/mesh.h"

namespace dailies::trainer {

namespace {

std::vector<std::int64_t> every(std::int64_t step, std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> ranks;
    for (std::int64_t i = 0; i < count; ++i) ranks.push_back(first + i * step);
    return ranks;
}

}  // namespace

Mesh::Mesh(const config::TrainConfig& config, const DistEnv& ranks)
    : m_ranks(ranks), m_sizes(config::layoutOf(config, ranks.size)) {}

DistEnv Mesh::dataRanks() const {
    auto ranks = m_ranks;
    ranks.rank = rankInStage() / m_sizes.ranksPerClip();
    ranks.size = m_sizes.dp;
    return ranks;
}

std::vector<std::int64_t> Mesh::pipelineGroup() const {
    return every(m_sizes.ranksPerStage(), rankInStage(), m_sizes.pp);
}

std::vector<std::int64_t> Mesh::ofStage(std::int64_t step, std::int64_t first, std::int64_t count) const {
    return every(step, stage() * m_sizes.ranksPerStage() + first, count);
}

std::vector<std::int64_t> Mesh::ofSameSlices(std::int64_t step, std::int64_t first,
                                             std::int64_t count) const {
    return ofStage(step * m_sizes.tp, first * m_sizes.tp + rankInStage() % m_sizes.tp, count);
}

std::vector<std::int64_t> Mesh::tensorGroup() const {
    return ofStage(1, place() * m_sizes.tp, m_sizes.tp);
}

std::vector<std::int64_t> Mesh::ulyssesGroup() const {
    return ofSameSlices(1, place() / m_sizes.ulysses * m_sizes.ulysses, m_sizes.ulysses);
}

std::vector<std::int64_t> Mesh::ringGroup() const {
    const auto first = place() / m_sizes.cp() * m_sizes.cp() + place() % m_sizes.ulysses;
    return ofSameSlices(m_sizes.ulysses, first, m_sizes.ring);
}

std::vector<std::int64_t> Mesh::contextGroup() const {
    const auto size = m_sizes.ranksPerClip();
    return ofStage(1, rankInStage() / size * size, size);
}

std::vector<std::int64_t> Mesh::shardGroup() const {
    return ofSameSlices(1, place() / m_sizes.shardRanks * m_sizes.shardRanks, m_sizes.shardRanks);
}

std::vector<std::int64_t> Mesh::replicaGroup() const {
    const auto alike = m_sizes.ranksPerStage() / m_sizes.tp;
    return ofSameSlices(m_sizes.shardRanks, place() % m_sizes.shardRanks, alike / m_sizes.shardRanks);
}

}  // namespace dailies::trainer

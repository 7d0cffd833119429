#include "trainer/parallel/mesh.h"

namespace dailies::trainer {

namespace {

std::vector<std::int64_t> every(std::int64_t step, std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> ranks;
    for (std::int64_t i = 0; i < count; ++i) ranks.push_back(first + i * step);
    return ranks;
}

}  // namespace

Mesh::Mesh(const config::TrainConfig& config, const Ranks& ranks)
    : m_ranks(ranks), m_sizes(config::layoutOf(config, ranks.size)) {}

Ranks Mesh::dataRanks() const {
    auto ranks = m_ranks;
    ranks.rank = m_ranks.rank / m_sizes.cp();
    ranks.size = m_sizes.dp;
    return ranks;
}

std::vector<std::int64_t> Mesh::ulyssesGroup() const {
    return every(1, m_ranks.rank / m_sizes.ulysses * m_sizes.ulysses, m_sizes.ulysses);
}

std::vector<std::int64_t> Mesh::ringGroup() const {
    const auto first = m_ranks.rank - contextIndex() + m_ranks.rank % m_sizes.ulysses;
    return every(m_sizes.ulysses, first, m_sizes.ring);
}

std::vector<std::int64_t> Mesh::contextGroup() const {
    return every(1, m_ranks.rank - contextIndex(), m_sizes.cp());
}

std::vector<std::int64_t> Mesh::shardGroup() const {
    return every(1, m_ranks.rank / m_sizes.shardRanks * m_sizes.shardRanks, m_sizes.shardRanks);
}

std::vector<std::int64_t> Mesh::replicaGroup() const {
    return every(m_sizes.shardRanks, m_ranks.rank % m_sizes.shardRanks, m_ranks.size / m_sizes.shardRanks);
}

}  // namespace dailies::trainer

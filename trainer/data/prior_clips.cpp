#include "trainer/data/prior_clips.h"

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

namespace {

std::vector<std::string> together(std::vector<std::string> some, const std::vector<std::string>& others) {
    some.insert(some.end(), others.begin(), others.end());
    return some;
}

}  // namespace

WithPriorClips::WithPriorClips(DataSource& own, DataSource& prior, double share)
    : m_ownClips(own), m_priorClips(prior) {
    const auto ofOwn = static_cast<double>(own.size()), ofPrior = static_cast<double>(prior.size());
    const double priorForEach = share / (1 - share);
    const double repeats = std::max(1.0, std::ceil(ofPrior / (ofOwn * priorForEach) - 1e-9));
    m_own = static_cast<std::int64_t>(repeats) * own.size();
    m_prior = std::max<std::int64_t>(prior.size(), std::llround(static_cast<double>(m_own) * priorForEach));
}

WithPriorClips::Place WithPriorClips::at(std::int64_t index) const {
    if (index < m_own) return {m_ownClips, index % m_ownClips.size()};
    return {m_priorClips, (index - m_own) % m_priorClips.size()};
}

std::vector<std::string> WithPriorClips::parts() const {
    return together(m_ownClips.parts(), m_priorClips.parts());
}

DatasetStats WithPriorClips::facts() const {
    auto facts = m_ownClips.facts();
    const auto prior = m_priorClips.facts();
    facts.found += prior.found;
    facts.used += prior.used;
    for (const auto& [reason, count] : prior.dropped) facts.dropped[reason] += count;
    return facts;
}

std::vector<std::string> WithPriorClips::captions() const {
    auto all = together(m_ownClips.captions(), m_priorClips.captions());
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

std::vector<std::string> WithPriorClips::takeProblems() {
    return together(m_ownClips.takeProblems(), m_priorClips.takeProblems());
}

}  // namespace dailies::trainer

#include "core/curation/clip_set.h"

#include <utility>

namespace dailies::curation {

ClipSet::ClipSet(std::vector<ClipRecord> clips) : m_clips(std::move(clips)) {
    for (std::size_t m = 0; m < kMeasures; ++m) {
        m_columns[m].reserve(m_clips.size());
        for (const auto& clip : m_clips) m_columns[m].push_back(valueOf(clip, static_cast<Measure>(m)));
    }
    m_duplicates.reserve(m_clips.size());
    m_byId.reserve(m_clips.size());
    for (std::size_t i = 0; i < m_clips.size(); ++i) {
        m_duplicates.push_back(m_clips[i].duplicateOf ? bitOf(Reason::Duplicate) : ReasonSet{0});
        m_byId.emplace(m_clips[i].id, i);
    }
}

std::optional<std::size_t> ClipSet::find(const std::string& id) const {
    const auto found = m_byId.find(id);
    return found == m_byId.end() ? std::nullopt : std::optional(found->second);
}

Judgement ClipSet::judge(const VerdictRules& rules, std::span<const Correction> corrections) const {
    Judgement judgement;
    auto& reasons = judgement.reasons;
    reasons = rules.drop_duplicates ? m_duplicates : std::vector<ReasonSet>(m_clips.size(), ReasonSet{0});
    for (const auto& threshold : thresholds()) {
        const double limit = limitOf(rules, threshold);
        const ReasonSet bit = bitOf(threshold.reason);
        const auto values = column(threshold.measure);
        for (std::size_t i = 0; i < reasons.size(); ++i)
            reasons[i] = static_cast<ReasonSet>(reasons[i] | (threshold.drops(values[i], limit) ? bit : 0));
    }
    const auto seconds = column(Measure::Seconds);
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        reasons[i] = corrected(reasons[i], corrections[i]);
        judgement.seconds += seconds[i];
        if (reasons[i] == 0) {
            ++judgement.kept;
            judgement.keptSeconds += seconds[i];
        }
        for (ReasonSet rest = reasons[i]; rest != 0; rest = static_cast<ReasonSet>(rest & (rest - 1)))
            ++judgement.dropped[static_cast<std::size_t>(__builtin_ctz(rest))];
    }
    return judgement;
}

std::vector<Correction> ClipSet::columnOf(const Corrections& corrections) const {
    std::vector<Correction> column(m_clips.size(), Correction::None);
    for (const auto& [id, correction] : corrections)
        if (const auto index = find(id)) column[*index] = correction;
    return column;
}

}  // namespace dailies::curation

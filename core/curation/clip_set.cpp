#include "core/curation/clip_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace dailies::curation {

namespace {

/// From which on a clip is shown with one that is better; the best are the nearest of much that is not like
/// them.
constexpr double kAlike = 0.8;

std::vector<std::string> scoreKeysOf(const std::vector<ClipRecord>& clips) {
    std::set<std::string> keys;
    for (const auto& clip : clips)
        for (const auto& [key, value] : clip.scorerValues) keys.insert(key);
    std::vector<std::string> sorted(keys.begin(), keys.end());
    sorted.resize(std::min(sorted.size(), kMostScoreKeys));
    return sorted;
}

/// `column` has a number that is not NaN.
std::pair<double, double> rangeOf(std::span<const double> column) {
    constexpr double kOutside = 0.005;  ///< at either end
    std::vector<double> values;
    std::ranges::copy_if(column, std::back_inserter(values), [](double value) { return !std::isnan(value); });
    const auto at = [&](double share) {
        const auto place = values.begin() + std::lround(share * static_cast<double>(values.size() - 1));
        std::ranges::nth_element(values, place);
        return *place;
    };
    return {at(kOutside), at(1 - kOutside)};
}

}  // namespace

ClipSet::ClipSet(std::vector<ClipRecord> clips)
    : m_clips(std::move(clips)),
      m_scoreKeys(scoreKeysOf(m_clips)),
      m_thresholds(curation::thresholds().begin(), curation::thresholds().end()),
      m_columns(measures()) {
    for (std::size_t m = 0; m < kMeasures; ++m) {
        m_columns[m].reserve(m_clips.size());
        for (const auto& clip : m_clips) m_columns[m].push_back(valueOf(clip, static_cast<Measure>(m)));
    }
    for (std::size_t k = 0; k < m_scoreKeys.size(); ++k) {
        for (const auto side : {Threshold::Side::Least, Threshold::Side::Most})
            m_thresholds.push_back(scoreThreshold(m_scoreKeys[k], k, side));
        auto& column = m_columns[kMeasures + k];
        column.reserve(m_clips.size());
        for (const auto& clip : m_clips) {
            const auto value = clip.scorerValues.find(m_scoreKeys[k]);
            column.push_back(value == clip.scorerValues.end() ? std::numeric_limits<double>::quiet_NaN()
                                                              : value->second);
        }
        m_scoreRanges.push_back(rangeOf(column));
    }
    m_duplicates.reserve(m_clips.size());
    m_byId.reserve(m_clips.size());
    for (std::size_t i = 0; i < m_clips.size(); ++i) {
        m_duplicates.push_back(m_clips[i].duplicateOf ? bitOf(Reason::Duplicate) : ReasonSet{0});
        m_byId.emplace(m_clips[i].id, i);
    }
    for (std::uint32_t i = 0; i < m_clips.size(); ++i) {
        if (const auto original = originalOf(i); original != i) m_duplicatesOf[original].push_back(i);
        for (const auto& [scorer, id] : m_clips[i].nearestTo) {
            const auto other = find(id);
            if (!other) continue;
            m_nearest[i].push_back(static_cast<std::uint32_t>(*other));
            const auto much = m_clips[i].scorerValues.find(scorer + kNearestSuffix);
            if (much != m_clips[i].scorerValues.end() && much->second >= kAlike)
                m_nearest[static_cast<std::uint32_t>(*other)].push_back(i);
        }
    }
}

std::uint32_t ClipSet::originalOf(std::uint32_t clip) const {
    const auto& original = m_clips[clip].duplicateOf;
    return original ? static_cast<std::uint32_t>(find(*original).value_or(clip)) : clip;
}

std::vector<std::uint32_t> ClipSet::alike(std::size_t clip) const {
    const auto number = static_cast<std::uint32_t>(clip), original = originalOf(number);
    std::set<std::uint32_t> all = {number, original};
    if (const auto found = m_duplicatesOf.find(original); found != m_duplicatesOf.end())
        all.insert(found->second.begin(), found->second.end());
    if (const auto found = m_nearest.find(number); found != m_nearest.end())
        all.insert(found->second.begin(), found->second.end());
    return {all.begin(), all.end()};
}

std::optional<std::size_t> ClipSet::find(const std::string& id) const {
    const auto found = m_byId.find(id);
    return found == m_byId.end() ? std::nullopt : std::optional(found->second);
}

Judgement ClipSet::judge(const VerdictRules& rules, std::span<const Correction> corrections) const {
    Judgement judgement;
    auto& reasons = judgement.reasons;
    reasons = rules.drop_duplicates ? m_duplicates : std::vector<ReasonSet>(m_clips.size(), ReasonSet{0});
    judgement.dropped.resize(this->reasons());
    for (const auto& threshold : m_thresholds) {
        const auto limit = limitOf(rules, threshold);
        if (!limit) continue;
        const ReasonSet bit = bitOf(threshold.reason);
        const auto values = column(threshold.measure);
        for (std::size_t i = 0; i < reasons.size(); ++i)
            reasons[i] |= threshold.drops(values[i], *limit) ? bit : 0;
    }
    const auto seconds = column(Measure::Seconds);
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        reasons[i] = corrected(reasons[i], corrections[i]);
        judgement.seconds += seconds[i];
        if (reasons[i] == 0) {
            ++judgement.kept;
            judgement.keptSeconds += seconds[i];
        }
        for (ReasonSet rest = reasons[i]; rest != 0; rest &= rest - 1)
            ++judgement.dropped[static_cast<std::size_t>(std::countr_zero(rest))];
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

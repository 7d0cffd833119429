#include "core/judging/morning_playlist.h"

#include "core/base/error.h"
#include "core/compare/goals.h"
#include "core/judging/judgement_records.h"
#include "core/judging/judging_version.h"
#include "core/sweep/sweep.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace dailies::judging {

namespace {

constexpr const char* kAdherence = "adherence";  ///< a share of the clips: all of it can be lost
constexpr double kWorthTelling = 0.1;
constexpr std::size_t kKnownRange = 4;  ///< points from which on a metric's range says what there is to lose

struct Loss {
    double part = 0;  ///< of what there was to lose
    std::string why;
};

std::string text(const char* format, auto... values) {
    char written[160];
    std::snprintf(written, sizeof written, format, values...);
    return written;
}

/// The finite values up to a step.
std::vector<double> valuesUntil(const std::vector<tracking::MetricPoint>& points, std::int64_t step) {
    std::vector<double> values;
    for (const auto& point : points)
        if (point.step <= step && std::isfinite(point.value)) values.push_back(point.value);
    return values;
}

/// By how much a metric becomes worse from one point to the next without meaning anything: twice the median
/// of what it lost so far, where it lost anything.
double noiseOf(const std::vector<double>& values, double sign) {
    std::vector<double> losses;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (const double lost = sign * (values[i - 1] - values[i]); lost > 0) losses.push_back(lost);
    if (losses.empty()) return 0;
    const auto middle = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2);
    std::nth_element(losses.begin(), middle, losses.end());
    return 2 * *middle;
}

/// The runs by their most pressing clip, and so the clips of each.
void sortByRun(std::vector<MorningClip>& playlist) {
    using Urgency = std::pair<Reason, double>;
    const auto urgency = [](const MorningClip& entry) { return Urgency(entry.reason, -entry.severity); };
    std::map<std::string, Urgency> mostPressing;
    for (const auto& entry : playlist) {
        const auto [known, isFirst] = mostPressing.try_emplace(entry.run.id, urgency(entry));
        if (!isFirst) known->second = std::min(known->second, urgency(entry));
    }
    std::ranges::stable_sort(playlist, {}, [&](const MorningClip& entry) {
        return std::tuple(mostPressing.at(entry.run.id), -entry.run.startMs, entry.run.name, entry.run.id,
                          urgency(entry));
    });
}

class MorningReader {
public:
    MorningReader(const tracking::Store& store, const std::string& author)
        : m_store(store), m_author(author) {
        const auto sweeps = store.sweeps();
        for (const auto& sweep : sweeps) {
            try {
                m_sweepMetric[sweep.id] = sweep::parseSweep(sweep.yaml, sweep.name).metric;
            } catch (const Error&) {
                // A newer version wrote it: its runs are followed by their clips alone.
            }
        }
        m_goals = compare::goalsOf(sweeps);
    }

    MorningPlaylist read(const std::stop_token& stop) {
        MorningPlaylist morning;
        if (!m_store.hasSchemaVersion(kJudgingVersion)) return morning;
        morning.unseen = unseenClips(m_store, m_author);
        std::map<std::string, tracking::Run> runs;
        std::vector<std::string> ids;
        // Whoever has gone through a store of thousands of runs waits for none of them again.
        for (auto& run : m_store.runs(runsWithUnseenClips(m_store, m_author))) {
            ids.push_back(run.id);
            runs.emplace(run.id, std::move(run));
        }
        const auto seen = seenClips(m_store, m_author, ids);
        m_reviews = readReviews(m_store, ids);
        for (auto& finding : m_store.findings(ids))  // the worst first
            m_worstFinding.try_emplace({finding.runId, finding.path}, std::move(finding));

        // by run, prompt and seed, in the order of their steps
        std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<tracking::ClipRecord>> made;
        for (auto& clip : m_store.clips(ids)) {
            if (clip.localPath.empty()) continue;
            made[{clip.runId, clip.prompt, clip.seed}].push_back(std::move(clip));
        }
        for (auto& [key, clips] : made) {
            if (stop.stop_requested()) throw Cancelled();
            if (seen.contains(keyOf(clips.back()))) continue;
            morning.playlist.push_back(judge(runs.at(clips.back().runId), clips));
        }
        sortByRun(morning.playlist);
        return morning;
    }

private:
    MorningClip judge(const tracking::Run& run, const std::vector<tracking::ClipRecord>& clips) {
        MorningClip entry;
        entry.clip = clips.back();
        entry.run = run;
        if (clips.size() > 1) entry.before = clips[clips.size() - 2];
        if (const auto found = m_worstFinding.find({entry.clip.runId, entry.clip.path});
            found != m_worstFinding.end()) {
            entry.reason = Reason::FailedCheck;
            entry.severity = found->second.severity >= 2 ? 1 : 0.5;
            entry.why = found->second.text;
            entry.frame = found->second.firstFrame;
            return entry;
        }
        if (!entry.before) return entry;
        Loss worst;
        for (Loss loss : {adherenceLost(entry), ratingLost(entry)})
            if (loss.part > worst.part) worst = std::move(loss);
        if (worst.part < kWorthTelling && !m_toldOf.contains(run.id)) {
            worst = metricLost(entry);  // of the run, not of this clip: told with one of them
            if (worst.part >= kWorthTelling) m_toldOf.insert(run.id);
        }
        if (worst.part < kWorthTelling) return entry;
        entry.reason = Reason::Regression;
        entry.severity = std::min(worst.part, 1.0);
        entry.why = worst.why;
        return entry;
    }

    static Loss adherenceLost(const MorningClip& entry) {
        if (!entry.clip.adherence || !entry.before->adherence) return {};
        return {
            *entry.before->adherence - *entry.clip.adherence,
            text("Adherence fell from %.0f %% to %.0f %% since step %lld.", 100 * *entry.before->adherence,
                 100 * *entry.clip.adherence, static_cast<long long>(entry.before->step))};
    }

    Loss ratingLost(const MorningClip& entry) const {
        const auto now = m_reviews.find(keyOf(entry.clip)), then = m_reviews.find(keyOf(*entry.before));
        if (now == m_reviews.end() || then == m_reviews.end()) return {};
        const auto rated = now->second.rating(), before = then->second.rating();
        if (!rated || !before) return {};
        return {(*before - *rated) / kMaxStars,
                text("Rated %.2g instead of %.2g stars since step %lld.", *rated, *before,
                     static_cast<long long>(entry.before->step))};
    }

    Loss metricLost(const MorningClip& entry) {
        const auto sweep = entry.run.tags.find(tracking::tag::kSweep);
        if (sweep == entry.run.tags.end()) return {};
        const std::string& metric = m_sweepMetric[sweep->second];
        if (metric.empty()) return {};
        auto [known, isNew] = m_histories.try_emplace({entry.run.id, metric});
        if (isNew) known->second = m_store.history(entry.run.id, metric);
        const auto until = valuesUntil(known->second, entry.clip.step);
        const auto earlier = valuesUntil(known->second, entry.before->step);
        if (earlier.empty()) return {};
        const double now = until.back(), before = earlier.back();
        const bool lowerIsBetter = compare::goalOf(metric, m_goals) == sweep::Goal::Minimize;
        const double sign = lowerIsBetter ? -1 : 1, lost = sign * (before - now);
        if (lost <= noiseOf(earlier, sign)) return {};
        return {lost / atStake(metric, until, before),
                metric + text(" went from %.4g to %.4g since step %lld.", before, now,
                              static_cast<long long>(entry.before->step))};
    }

    /// What there is to lose of a metric. A range of few points may be the very loss that is looked at.
    static double atStake(const std::string& metric, const std::vector<double>& values, double before) {
        if (metric == kAdherence) return 1;
        const auto [low, high] = std::ranges::minmax(values);
        return values.size() < kKnownRange ? std::max(high - low, std::abs(before)) : high - low;
    }

    const tracking::Store& m_store;
    const std::string& m_author;
    std::map<std::string, std::string> m_sweepMetric;  ///< by sweep
    std::set<std::string> m_toldOf;                    ///< runs whose metric's loss stands in the playlist
    compare::Goals m_goals;
    Reviews m_reviews;
    std::map<std::pair<std::string, std::string>, tracking::ClipFinding> m_worstFinding;  ///< by run and path
    std::map<std::pair<std::string, std::string>, std::vector<tracking::MetricPoint>> m_histories;
};

}  // namespace

MorningPlaylist buildMorningPlaylist(const tracking::Store& store, const std::string& author,
                                     const std::stop_token& stop) {
    return MorningReader(store, author).read(stop);
}

}  // namespace dailies::judging

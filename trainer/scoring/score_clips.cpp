#include "trainer/scoring/score_clips.h"

#include "core/base/clock.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/curation/clip_frames.h"
#include "core/curation/clip_work.h"
#include "core/curation/curated_folder.h"
#include "core/curation/duplicates.h"
#include "core/curation/scorer_answers.h"
#include "trainer/data/array_cache.h"
#include "trainer/runtime/device.h"
#include "trainer/scoring/feature_array.h"
#include "trainer/scoring/nearest.h"
#include "trainer/scoring/scorer.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <vector>

namespace dailies::trainer {

namespace {

using curation::ClipRecord;
using curation::ScorerAnswer;

constexpr std::size_t kFailedToGiveUp = 20;
constexpr const char* kFeatureFolder = "features";
const std::string kNearestKey = std::string(curation::kNearestSuffix).substr(1);
constexpr std::chrono::seconds kFeaturesWrittenEvery(10);  ///< what a kill may lose

/// A clip that a rule on scores drops is still scored: the rule is to be set by what is seen.
std::vector<ClipRecord> clipsToScore(const curation::ClipScoringJob& job, const std::stop_token& stop) {
    auto curated = curation::loadCuratedFolder(job.folder, 0, stop);
    curated.config.verdict.scores.clear();
    return curation::keptClips(curated);
}

/// uint8 [T, 3, H, W].
at::Tensor tensorOf(const std::vector<video::Frame>& frames) {
    const auto& first = frames.at(0);
    const auto tensor =
        at::empty({static_cast<std::int64_t>(frames.size()), first.height, first.width, 3}, at::kByte);
    for (std::size_t i = 0; i < frames.size(); ++i)
        std::ranges::copy(frames[i].rgb, tensor[static_cast<std::int64_t>(i)].data_ptr<std::uint8_t>());
    return tensor.permute({0, 3, 1, 2}).contiguous();
}

/// To six digits: modules answer in single precision, whose others are noise.
double sixDigits(double value) {
    if (value == 0) return 0;
    const double factor = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
    return std::isfinite(factor) && factor > 0 ? std::round(value * factor) / factor : value;
}

class ClipScoring {
public:
    ClipScoring(const curation::ClipScoringJob& job,
                const std::function<void(const ClipScoringProgress&)>& onProgress,
                const std::stop_token& stop)
        : m_job(job),
          m_onProgress(onProgress),
          m_stop(stop),
          m_scorer(job.scorer, chooseDevice("auto", 0)),
          m_clips(clipsToScore(job, stop)),
          m_answers(curation::loadScorerAnswers(job.folder)),
          m_log(job.folder) {
        if (m_scorer.givesFeatures()) m_features.emplace(featureFolder());
        m_progress.clips = m_clips.size();
        m_progress.done = static_cast<std::size_t>(
            std::ranges::count_if(m_clips, [this](const ClipRecord& clip) { return isScored(clip); }));
    }

    ClipScoringSummary run() {
        curation::workOnClips(
            m_clips,
            {.parent = std::filesystem::path(m_job.folder) / curation::kScoreFolder,
             .sharedBy = m_job.sharedBy,
             .threads = static_cast<unsigned>(m_job.threads),
             .work = [this](const curation::ClipShare& share) { scoreShare(share); },
             .finish = [this] { writeScores(); },
             .onWaiting =
                 [this](std::size_t open) {
                     report([&](ClipScoringProgress& progress) { progress.waiting = open; });
                 }},
            m_stop);
        if (!m_job.sharedBy.empty()) {
            m_log.discard();
            m_answers = curation::loadScorerAnswers(m_job.folder);  // another task may have written it
        }
        return summary();
    }

private:
    /// The same for all that is answered alike.
    std::string settingsOf(const ClipRecord& clip) const {
        return contentKey({m_scorer.identity(), std::to_string(m_job.frames), std::to_string(m_job.maxSide),
                           m_scorer.readsCaptions() ? clip.caption : ""});
    }

    const ScorerAnswer* answerOf(const ClipRecord& clip) const {
        const auto ofClip = m_answers.find(clip.id);
        if (ofClip == m_answers.end()) return nullptr;
        const auto answer = ofClip->second.find(m_job.name);
        return answer == ofClip->second.end() ? nullptr : &answer->second;
    }

    std::filesystem::path featureFolder() const {
        return std::filesystem::path(m_job.folder) / kFeatureFolder / m_job.name;
    }

    std::string featureKey(const ClipRecord& clip) const {
        return contentKey(
            {m_scorer.identity(), std::to_string(m_job.frames), std::to_string(m_job.maxSide), clip.id});
    }

    bool isScored(const ClipRecord& clip) const {
        const auto* answer = answerOf(clip);
        if (m_features && !m_features->contains(featureKey(clip))) return false;
        return answer && answer->problem.empty() && answer->settings == settingsOf(clip);
    }

    void scoreShare(const curation::ClipShare& share) {
        curation::ClipFrames frames(m_job.folder);
        for (std::size_t i = share.first; i < share.first + share.count; ++i) {
            if (m_stop.stop_requested()) throw Cancelled();
            if (!isScored(m_clips[i])) score(m_clips[i], frames);
        }
        if (m_features) writeFeatures(/*atOnce=*/false);
    }

    void writeFeatures(bool atOnce) {
        {
            const std::lock_guard lock(m_mutex);
            const auto now = std::chrono::steady_clock::now();
            if (!atOnce && now - m_featuresWritten < kFeaturesWrittenEvery) return;
            m_featuresWritten = now;
        }
        m_features->flush();
    }

    void score(const ClipRecord& clip, curation::ClipFrames& frames) {
        ScorerAnswer answer;
        try {
            const auto tensor = tensorOf(frames.read(clip, m_job.frames, m_job.maxSide));
            const std::lock_guard lock(m_scorerMutex);  // threads decode meanwhile
            if (m_scorer.givesValues())
                for (const auto& [key, value] : m_scorer.values(tensor, clip.caption))
                    answer.values[key] = sixDigits(value);
            if (m_features) m_features->put(featureKey(clip), arrayOf(m_scorer.features(tensor).mean(0)));
        } catch (const Error& error) {
            answer.problem = error.full();
        }
        answer.settings = settingsOf(clip);
        answer.timeMs = unixMillis();
        m_log.add(clip.id, m_job.name, answer);
        count(clip, answer);
    }

    void count(const ClipRecord& clip, const ScorerAnswer& answer) {
        bool isHopeless = false;
        report([&](ClipScoringProgress& progress) {
            ++progress.done;
            ++progress.asked;
            progress.failed += !answer.problem.empty();
            isHopeless = progress.failed == kFailedToGiveUp && progress.asked == progress.failed;
            if (!answer.problem.empty()) progress.told = clip.id + ": " + answer.problem;
        });
        if (isHopeless)
            throw Error("The first " + std::to_string(kFailedToGiveUp) +
                        " clips all failed, the last because of this: " + answer.problem);
    }

    void writeScores() {
        if (m_features) addNearest();
        m_answers = m_log.merge();
        curation::saveChanges(m_job.folder, {.rules = curation::loadCurationConfig(m_job.folder).verdict},
                              m_stop);
    }

    void addNearest() {
        writeFeatures(/*atOnce=*/true);
        m_features.emplace(featureFolder());  // with what other tasks have put there
        m_answers = curation::loadScorerAnswers(m_job.folder);
        curation::ClipFrames frames(m_job.folder);
        std::vector<const ClipRecord*> clips;
        std::vector<at::Tensor> rows;
        for (const auto number : curation::byPreference(m_clips)) {
            if (m_stop.stop_requested()) throw Cancelled();
            const auto& clip = m_clips[number];
            const auto* answer = answerOf(clip);
            if (!answer || !answer->problem.empty()) continue;
            const auto key = featureKey(clip);
            if (!m_features->contains(key)) score(clip, frames);  // a task that died had not written it
            const auto row = m_features->find(key);
            if (!row) continue;
            clips.push_back(&clip);
            rows.push_back(tensorOf(*row));
        }
        if (rows.empty()) return;
        const auto nearest = nearestAbove(at::stack(rows));
        for (std::size_t i = 0; i < clips.size(); ++i) {
            auto answer = *answerOf(*clips[i]);
            answer.values.erase(kNearestKey);
            answer.nearestTo.clear();
            if (nearest[i].row >= 0) {
                answer.values[kNearestKey] = sixDigits(nearest[i].similarity);
                answer.nearestTo = clips[static_cast<std::size_t>(nearest[i].row)]->id;
            }
            answer.timeMs = unixMillis();
            m_log.add(clips[i]->id, m_job.name, answer);
        }
    }

    ClipScoringSummary summary() const {
        ClipScoringSummary all{.clips = m_clips.size(), .asked = m_progress.asked};
        std::map<std::string, std::vector<double>> columns;
        for (auto clip : m_clips) {
            const auto* answer = answerOf(clip);
            all.scored += answer && answer->problem.empty();
            if (answer && !answer->problem.empty() && all.failed++ == 0)
                all.firstProblem = clip.id + ": " + answer->problem;
            clip.scorerValues.clear();
            curation::takeAnswers(clip, {{clip.id, {{m_job.name, answer ? *answer : ScorerAnswer()}}}});
            for (const auto& [key, value] : clip.scorerValues) columns[key].push_back(value);
        }
        for (auto& [key, column] : columns) {
            std::ranges::sort(column);
            const auto at = [&](double share) {
                return column[static_cast<std::size_t>(share * static_cast<double>(column.size() - 1))];
            };
            all.values[key] = {at(0.1), at(0.5), at(0.9)};
        }
        return all;
    }

    template <class Change>
    void report(const Change& change) {
        const std::lock_guard lock(m_mutex);
        m_progress.waiting = 0;
        m_progress.told.clear();
        change(m_progress);
        m_onProgress(m_progress);
    }

    const curation::ClipScoringJob& m_job;
    const std::function<void(const ClipScoringProgress&)>& m_onProgress;
    const std::stop_token& m_stop;
    Scorer m_scorer;
    std::mutex m_scorerMutex;
    std::vector<ClipRecord> m_clips;
    curation::ScorerAnswers m_answers;
    curation::ScorerLog m_log;
    std::optional<ArrayCache> m_features;  ///< of a scorer that gives some

    std::mutex m_mutex;  ///< of what follows
    std::chrono::steady_clock::time_point m_featuresWritten = std::chrono::steady_clock::now();
    ClipScoringProgress m_progress;
};

}  // namespace

std::string ClipScoringSummary::text() const {
    const auto number = [](std::size_t count) { return grouped(static_cast<long long>(count)); };
    std::string text = number(scored) + " of " + pluralize(static_cast<long long>(clips), "clip", "clips") +
                       " have a score; " + number(asked) + " scored now\n";
    for (const auto& [key, range] : values)
        text += "  " + key + ": median " + shortNumber(range.median) + ", 10th to 90th percentile " +
                shortNumber(range.low) + " to " + shortNumber(range.high) + "\n";
    if (failed > 0) text += "  failed: " + number(failed) + ", the first: " + firstProblem + "\n";
    return sanitizedText(text);
}

ClipScoringSummary scoreClips(const curation::ClipScoringJob& job,
                              const std::function<void(const ClipScoringProgress&)>& onProgress,
                              const std::stop_token& stop) {
    curation::throwIfInvalid(job);
    return ClipScoring(job, onProgress, stop).run();
}

}  // namespace dailies::trainer

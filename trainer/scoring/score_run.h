#pragma once

#include "core/config/scoring_job.h"
#include "core/events/event.h"
#include "trainer/runtime/run_log.h"
#include "trainer/scoring/cached_scorer.h"
#include "trainer/scoring/frechet.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Gives every clip of a run to a scorer and logs what it says, clip by clip, each step's distance to the
/// reference after its clips. A clip that cannot be scored is told with the reason, and the others go on.
/// Answers are kept by content: a further attempt, or a job over the same clips, logs them again without
/// asking the scorer.
class ScoreRun {
public:
    ScoreRun(config::ScoringJob job, std::filesystem::path runFolder, RunLog& log);

    /// Until every clip is scored, or a stop signal; returns the event to close the log with. Throws
    /// `InputError` for a scorer, a run or a reference that cannot be used.
    events::End run();

    std::int64_t step() const { return m_step; }  ///< of the clip in hand

private:
    std::vector<events::Clip> chosenClips() const;
    void requireFitting(const Scorer& scorer) const;
    void logStart(const Scorer& scorer, std::size_t clips);
    FeatureStatistics referenceStatistics(CachedScorer& scorer);
    void score(CachedScorer& scorer, const Scorer& module, const events::Clip& clip);
    void compareStep();
    void logScore(const std::string& path, std::map<std::string, double> values, std::string problem = {});
    events::End ended(std::size_t clips) const;

    config::ScoringJob m_job;
    std::filesystem::path m_runFolder;
    RunLog& m_log;
    std::optional<FeatureStatistics> m_reference;
    std::vector<at::Tensor> m_features;  ///< of the step's clips
    std::int64_t m_step = 0;
    std::size_t m_done = 0, m_failed = 0;
    std::string m_firstProblem;
};

}  // namespace dailies::trainer

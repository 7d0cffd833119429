#include "trainer/scoring/score_run.h"

#include "core/base/error.h"
#include "core/base/media_names.h"
#include "core/base/text.h"
#include "trainer/runtime/device.h"
#include "trainer/runtime/host_info.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/scoring/clips_of_run.h"

#include <torch/types.h>
#include <torch/version.h>

#include <algorithm>
#include <iostream>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> videosBelow(const fs::path& folder) {
    if (!fs::is_directory(folder))
        throw InputError("reference: found " + folder.string() + ", expected a folder of videos.");
    std::vector<fs::path> videos;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && isVideoName(entry.path().string())) videos.push_back(entry.path());
    std::ranges::sort(videos);
    return videos;
}

}  // namespace

ScoreRun::ScoreRun(config::ScoringJob job, fs::path runFolder, RunLog& log)
    : m_job(std::move(job)), m_runFolder(std::move(runFolder)), m_log(log) {}

events::End ScoreRun::run() {
    const auto clips = chosenClips();
    const Scorer module(m_job.scorer, chooseDevice("auto", 0));
    requireFitting(module);
    CachedScorer scorer(module, m_job.cache.empty() ? m_runFolder / "cache" : fs::path(m_job.cache));
    logStart(module, clips.size());
    if (!m_job.reference.empty()) m_reference = referenceStatistics(scorer);
    for (const auto& clip : clips) {
        if (stopRequested()) return {"stopped", m_step, "Asked to stop (" + stopSignalName() + ")."};
        if (clip.step != m_step) compareStep();
        m_step = clip.step;
        score(scorer, module, clip);
        std::cout << ++m_done << " of " << clips.size() << " clips" << std::endl;
    }
    compareStep();
    std::cout << "The scorer was asked " << scorer.asked() << " times; the other answers were known."
              << std::endl;
    return ended(clips.size());
}

std::vector<events::Clip> ScoreRun::chosenClips() const {
    auto clips = clipsOfRun(m_job.run_folder);
    if (clips.empty())
        throw InputError("run_folder: found no clip in " + m_job.run_folder + ", expected some.",
                         "Runs make them at sampling.every; dailies-train sample makes more.");
    if (m_job.steps.empty()) return clips;
    std::erase_if(clips, [&](const events::Clip& clip) {
        return std::ranges::find(m_job.steps, clip.step) == m_job.steps.end();
    });
    if (clips.empty())
        throw InputError("steps: found none at which " + m_job.run_folder + " has a clip.",
                         "Leave them out to score all clips.");
    return clips;
}

void ScoreRun::requireFitting(const Scorer& scorer) const {
    if (!m_job.reference.empty() && !scorer.givesFeatures())
        throw InputError(
            "reference: found " + m_job.reference + ", expected none: the scorer has no method features.",
            "Mark it with @torch.jit.export, or leave the reference out.");
    if (m_job.reference.empty() && !scorer.givesValues())
        throw InputError(
            "reference: found none, expected a folder of videos: the scorer gives features only.");
}

void ScoreRun::logStart(const Scorer& scorer, std::size_t clips) {
    Json facts = {{"torch", TORCH_VERSION},
                  {"device", scorer.device().str()},
                  {"scorer", scorer.identity()},
                  {"clips", clips}};
    m_log.append(
        events::Start{DAILIES_VERSION, hostName(), 1, slurmJob(), slurmRestarts(), std::move(facts)});
}

FeatureStatistics ScoreRun::referenceStatistics(CachedScorer& scorer) {
    std::vector<at::Tensor> features;
    for (const auto& video : videosBelow(m_job.reference)) {
        try {
            features.push_back(scorer.features(video));
        } catch (const Error& error) {
            m_log.append(events::Message{
                "warning", "The reference " + video.filename().string() + " was left out: " + error.what()});
        }
    }
    if (features.empty())
        throw InputError("reference: found no video in " + m_job.reference +
                         " of which the scorer gives features.");
    return statisticsOf(at::cat(features));
}

void ScoreRun::score(CachedScorer& scorer, const Scorer& module, const events::Clip& clip) {
    const auto file = fs::path(m_job.run_folder) / clip.path;
    try {
        std::map<std::string, double> values;
        if (module.givesValues())
            for (const auto& [key, value] : scorer.values(file, clip.prompt))
                values[config::scoreMetric(m_job.name, key)] = value;
        if (m_reference) m_features.push_back(scorer.features(file));
        if (!values.empty()) logScore(clip.path, std::move(values));
    } catch (const Error& error) {
        if (m_failed++ == 0) m_firstProblem = clip.path + ": " + error.what();
        logScore(clip.path, {}, error.what());
    }
}

/// Ends a step: the distance of its clips, taken together, to the reference.
void ScoreRun::compareStep() {
    if (!m_reference || m_done == 0) return;
    try {
        if (m_features.empty()) throw Error("None of the step's clips has features.");
        const auto distance = frechetDistance(statisticsOf(at::cat(m_features)), *m_reference);
        logScore("", {{config::scoreMetric(m_job.name, config::kFrechetKey), distance}});
    } catch (const Error& error) {
        logScore("", {}, error.what());
    }
    m_features.clear();
}

void ScoreRun::logScore(const std::string& path, std::map<std::string, double> values, std::string problem) {
    m_log.append(events::Score{fs::path(m_job.run_folder).filename().string(), m_step, path, m_job.name,
                               std::move(values), std::move(problem)});
}

events::End ScoreRun::ended(std::size_t clips) const {
    if (m_failed == clips) return {"failed", m_step, "None of the clips could be scored. " + m_firstProblem};
    if (m_failed > 0)
        m_log.append(events::Message{"warning", std::to_string(m_failed) + " of " + std::to_string(clips) +
                                                    " clips could not be scored. " + m_firstProblem});
    return {"finished", m_step, ""};
}

}  // namespace dailies::trainer

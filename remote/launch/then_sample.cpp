#include "remote/launch/then_sample.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/sampled_run.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/recorded_launch.h"
#include "remote/launch/source_runs.h"
#include "remote/program/program.h"

#include <algorithm>
#include <cstdlib>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;
using tracking::RunStatus;

constexpr std::string_view kDependency = "#SBATCH --dependency=";
constexpr const char* kAfter = "after";  ///< of the sweep in the document, as in a sweep file

/// Where the script puts the checkpoint that a run begins from: its step is known when it is trained.
constexpr std::string_view kBeginsFrom = "/begins-from";

std::int64_t lastStep(const tracking::Run& run) {
    const auto steps = run.params.find("steps");
    return steps == run.params.end() ? 0 : std::atoll(steps->second.c_str());
}

/// A task waits for the run that it samples, not for all of them.
std::string waitsRunByRun(const std::string& script) {
    constexpr std::string_view kAll = "afterok:", kEach = "aftercorr:";
    std::string text = script;
    if (const auto at = text.find(kAll, text.find(kDependency)); at != std::string::npos)
        text.replace(at, kAll.size(), kEach);
    return text;
}

}  // namespace

void requireSampleable(const sweep::Sweep& sweep, const sweep::SamplingFile& file) {
    const Program& program = programOf(sweep);
    if (!program.isSampledByTrainer())
        throw InputError("Sweep " + sanitizedText(sweep.name) + " trains by " +
                             sanitizedText(program.name(sweep)) +
                             ", of whose checkpoints dailies-train cannot sample.",
                         "Launch it without --then-sample.");
    if (sweep::isAdaptive(sweep))
        throw InputError("Sweep " + sanitizedText(sweep.name) + " chooses its runs adaptively (method " +
                             sweep.method + "), so no sampling job can be submitted with it.",
                         "Sample them when it has ended: dailies sample RUN.");
    config::throwIfInvalid(file.job);
}

SamplingPlan planThenSample(const tracking::Store& store, const LaunchPlan& training,
                            const sweep::SamplingFile& file, const ClusterProfile& profile,
                            const std::string& workspace, const InstalledTrainer& trainer) {
    SamplingRequest request;
    request.runIds = training.runIds;
    request.job = file.job;
    request.name = file.name.empty() ? "samples of " + training.sweep.name : file.name;
    request.resources = file.resources ? *file.resources : singleProcessResources(store, training.runIds);
    request.after.jobs = {training.sweepId};
    std::vector<CheckpointRef> checkpoints;
    for (const auto& runId : training.runIds)
        checkpoints.push_back({runId, lastStep(requireRun(store, runId)), ""});
    auto plan = planSampling(store, request, checkpoints, profile, workspace, trainer);
    plan.document[kAfter] = {{"sweep", training.sweepId}};
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        auto& entry = plan.document["runs"][i];
        entry["begins_from"] = tagOf(plan.runs[i], tag::kSampledRun);
        entry["checkpoint"] = tagOf(plan.runs[i], tag::kFolder) + std::string(kBeginsFrom);
    }
    if (plan.runs.size() == training.runIds.size()) plan.script = waitsRunByRun(plan.script);
    return plan;
}

TrainingThenSampling launchThenSample(Cluster& cluster, const LaunchPlan& training,
                                      const sweep::SamplingFile& file, const InstalledTrainer& trainer,
                                      tracking::Store& store, const Progress& progress,
                                      std::stop_token stop) {
    TrainingThenSampling both;
    recordLaunch(cluster, training, store);
    try {
        both.sampling =
            planThenSample(store, training, file, cluster.profile(), cluster.workspace(), trainer);
        uploadConditioningFiles(cluster, both.sampling, progress, stop);
        recordSampling(cluster, both.sampling, store);
    } catch (...) {
        endActiveRuns(store, training.sweepId, RunStatus::Killed,
                      "It was not submitted: the sampling job that depends on it could not be prepared.");
        throw;
    }
    try {
        both.trainingJob = submitLaunch(cluster, training, store, progress, stop);
    } catch (...) {
        scriptWithTrainingJob(store, *store.sweep(both.sampling.id));
        throw;
    }
    const auto sampling = *store.sweep(both.sampling.id);
    auto submission = *samplingSubmission(sampling);
    submission.script = both.sampling.script = *scriptWithTrainingJob(store, sampling);
    both.samplingJob = uploadAndSubmit(cluster, store, submission, progress, stop);
    return both;
}

std::string upstreamSweep(const tracking::SweepRecord& record) {
    if (!record.yaml.starts_with('{')) return {};  // a sweep's file is YAML in block style
    const Json document = parseJson(record.yaml, "sweep " + record.id);
    return document.contains(kAfter) ? document.at(kAfter).value("sweep", "") : std::string();
}

std::optional<std::string> scriptWithTrainingJob(tracking::Store& store,
                                                 const tracking::SweepRecord& sampling) {
    const auto training = store.sweep(upstreamSweep(sampling));
    if (!training || training->jobId.empty()) {
        const auto runs = training ? sweepRuns(store, training->id) : std::vector<SweepRun>();
        if (std::ranges::none_of(runs, [](const auto& entry) { return isActive(entry.run.status); }))
            endActiveRuns(store, sampling.id, RunStatus::Killed,
                          "The training job that it depends on was not submitted.");
        return std::nullopt;
    }
    std::string script = sampling.script;
    const auto at = script.find(training->id, script.find(kDependency));
    if (at != std::string::npos) script.replace(at, training->id.size(), training->jobId);
    store.setSweepScript(sampling.id, script);
    return script;
}

std::vector<tracking::Run> dependentSamplingRuns(const tracking::Store& store, const std::string& sweepId,
                                                 const std::vector<std::string>& runIds) {
    std::vector<tracking::Run> waiting;
    for (const auto& record : store.sweeps()) {
        if (upstreamSweep(record) != sweepId) continue;
        for (auto& entry : sweepRuns(store, record.id)) {
            const bool waits = entry.run.status == tracking::RunStatus::Scheduled;
            if (waits && std::ranges::find(runIds, tagOf(entry.run, tag::kSampledRun)) != runIds.end())
                waiting.push_back(std::move(entry.run));
        }
    }
    return waiting;
}

}  // namespace dailies::remote

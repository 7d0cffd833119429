#include "remote/cluster/then_sample.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/sampled_run.h"
#include "remote/cluster/chosen_runs.h"
#include "remote/cluster/job_script.h"
#include "remote/cluster/sweep_runs.h"

#include <algorithm>
#include <cstdlib>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;

constexpr const char* kAfter = "after";  ///< of the sweep in the document, as in a sweep file

/// Where the script puts the checkpoint that a run begins from: its step is known when it is trained.
constexpr std::string_view kBeginsFrom = "/begins-from";

std::int64_t lastStep(const tracking::Run& run) {
    const auto steps = run.params.find("steps");
    return steps == run.params.end() ? 0 : std::atoll(steps->second.c_str());
}

/// A task waits for the run that it samples, not for all of them.
std::string waitsRunByRun(const std::string& script) {
    constexpr std::string_view kAll = "#SBATCH --dependency=afterok:",
                               kEach = "#SBATCH --dependency=aftercorr:";
    std::string text = script;
    if (const auto at = text.find(kAll); at != std::string::npos) text.replace(at, kAll.size(), kEach);
    return text;
}

}  // namespace

void requireSampleable(const sweep::Sweep& sweep, const sweep::SamplingFile& file) {
    if (sweep::isAdaptive(sweep))
        throw InputError("Sweep " + inertText(sweep.name) + " decides on its runs while it runs (method " +
                             sweep.method + "), so they cannot be sampled by a job that is sent with it.",
                         "Sample them when it has ended: dailies sample RUN.");
    config::requireSound(file.job);
}

SamplingPlan planThenSample(const tracking::Store& store, const LaunchPlan& training,
                            const sweep::SamplingFile& file, const ClusterProfile& profile,
                            const std::string& workspace, const InstalledTrainer& trainer) {
    const auto record = store.sweep(training.sweepId);
    if (!record || record->jobId.empty())
        throw Error(
            "Sweep " + inertText(training.sweep.name) + " was not submitted, so nothing can wait for it.",
            "Connect once more, then sample its runs.");
    SamplingRequest request;
    request.runIds = training.runIds;
    request.job = file.job;
    request.name = file.name.empty() ? "samples of " + training.sweep.name : file.name;
    request.resources = file.resources ? *file.resources : resourcesOfOneProcess(store, training.runIds);
    std::vector<SampledCheckpoint> checkpoints;
    for (const auto& runId : training.runIds)
        checkpoints.push_back({runId, lastStep(requireRun(store, runId)), ""});
    auto plan = planSampling(store, request, checkpoints, profile, workspace, trainer);
    plan.document[kAfter] = {{"sweep", training.sweepId}};
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        auto& entry = plan.document["runs"][i];
        entry["begins_from"] = tagOf(plan.runs[i], tag::kSampledRun);
        entry["checkpoint"] = tagOf(plan.runs[i], tag::kFolder) + std::string(kBeginsFrom);
    }
    plan.script = arrayScript({.sweepId = plan.id,
                               .sweepName = plan.name,
                               .tasks = plan.runs.size(),
                               .resources = request.resources,
                               .workspace = workspace,
                               .program = programIn(workspace, trainer),
                               .verb = "sample",
                               .environment = training.sweep.environment,
                               .after = {.jobs = {record->jobId}}},
                              profile);
    if (plan.runs.size() == training.runIds.size()) plan.script = waitsRunByRun(plan.script);
    return plan;
}

std::vector<tracking::Run> waitingSamplings(const tracking::Store& store, const std::string& sweepId,
                                            const std::vector<std::string>& runIds) {
    std::vector<tracking::Run> waiting;
    for (const auto& record : store.sweeps()) {
        if (!record.yaml.starts_with('{')) continue;  // a sweep's file is YAML in block style
        const Json document = parseJson(record.yaml, "sweep " + record.id);
        if (!document.contains(kAfter) || document.at(kAfter).value("sweep", "") != sweepId) continue;
        for (auto& entry : sweepRuns(store, record.id)) {
            const bool waits = entry.run.status == tracking::RunStatus::Scheduled;
            if (waits && std::ranges::find(runIds, tagOf(entry.run, tag::kSampledRun)) != runIds.end())
                waiting.push_back(std::move(entry.run));
        }
    }
    return waiting;
}

}  // namespace dailies::remote

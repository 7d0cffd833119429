#include "remote/launch/launch.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/config/train_config.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/batch_launch.h"
#include "remote/launch/dataset_launch.h"
#include "remote/launch/recorded_launch.h"
#include "remote/launch/sampling_launch.h"
#include "remote/launch/scoring_launch.h"
#include "remote/launch/submission.h"
#include "remote/launch/then_sample.h"
#include "remote/slurm/controller_unreachable.h"
#include "remote/ssh/session_error.h"

#include <algorithm>

namespace dailies::remote {

namespace {

constexpr const char* kInitKey = "model.init";

Submission launchSubmission(const LaunchPlan& plan) {
    const Program& program = programOf(plan.sweep);
    Submission submission{plan.sweepId, {}, plan.script, {}, program.sweepFiles()};
    Json runs = Json::array();
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        runs.push_back(
            {{"run_id", plan.runIds[i]}, {"name", plan.runs[i].name}, {"varied", plan.runs[i].varied}});
        submission.tasks.push_back({plan.runIds[i], plan.runs[i].config,
                                    plan.beginsFrom.empty() ? std::string() : plan.beginsFrom[i],
                                    program.runFiles(plan.sweep, plan.runs[i])});
        if (plan.init) submission.tasks.back().files[InitFrom::kFile] = plan.init->text();
    }
    submission.document = {{"sweep_id", plan.sweepId},
                           {"name", plan.sweep.name},
                           {"yaml", sweep::toYaml(plan.sweep)},
                           {"runs", std::move(runs)}};
    return submission;
}

/// The plan as it was recorded.
LaunchPlan planFromRecord(const tracking::Store& store, const tracking::SweepRecord& record) {
    LaunchPlan plan;
    plan.sweepId = record.id;
    plan.sweep = sweep::parseSweep(record.yaml, "sweep " + record.id);
    plan.script = record.script;
    const bool beginsWithBest = plan.sweep.after && plan.sweep.after->initFromBest;
    for (const SweepRun& entry : sweepRuns(store, record.id)) {
        plan.runs.push_back(sweep::plannedRun(plan.sweep, parameterValues(plan.sweep, entry.run)));
        plan.runs.back().name = entry.run.name;
        plan.runIds.push_back(entry.run.id);
        if (beginsWithBest && entry.run.params.contains(kInitKey))
            config::setByKey(plan.runs.back().config, kInitKey, entry.run.params.at(kInitKey));
    }
    if (plan.sweep.after && plan.sweep.after->fromCheckpoint) {
        Predecessor before;
        for (const SweepRun& entry : sweepRuns(store, plan.sweep.after->sweep))
            before.runs.push_back(entry.run.id);
        plan.beginsFrom = predecessorRuns(before, plan.runs.size());
    }
    if (beginsWithBest)
        if (const auto before = store.sweep(plan.sweep.after->sweep)) plan.init = initFromOf(store, *before);
    return plan;
}

Submission submissionFromRecord(const tracking::Store& store, const tracking::SweepRecord& record) {
    if (const auto sampling = samplingSubmission(record)) return *sampling;
    if (const auto scoring = scoringSubmission(record)) return *scoring;
    if (const auto batch = batchSubmission(record)) return *batch;
    if (const auto dataset = datasetSubmission(record)) return *dataset;
    return launchSubmission(planFromRecord(store, record));
}

}  // namespace

LaunchPlan planLaunch(const sweep::Sweep& sweep, const ClusterProfile& profile, const std::string& workspace,
                      const ReadyProgram& ready, const std::set<std::size_t>& skipped,
                      const Predecessor& before) {
    const Program& program = programOf(sweep);
    LaunchPlan plan;
    plan.sweepId = newId();
    plan.sweep = sweep;
    auto expanded = sweep::expand(sweep);
    for (std::size_t i = 0; i < expanded.size(); ++i)
        if (!skipped.contains(i)) plan.runs.push_back(std::move(expanded[i]));
    if (plan.runs.empty())
        throw InputError("Every run in the sweep has already been run.",
                         "Launch it without skipping repeats, or change its values.");
    for (std::size_t i = 0; i < plan.runs.size(); ++i) plan.runIds.push_back(runIdOf(plan.sweepId, i));
    if (plan.sweep.after) plan.sweep.after->sweep = before.sweepId;  // a name may come to mean another
    plan.beginsFrom = predecessorRuns(before, plan.runs.size());
    plan.init = before.init;
    if (plan.sweep.after && plan.sweep.after->initFromBest)
        for (std::size_t i = 0; i < plan.runs.size(); ++i)
            config::setByKey(plan.runs[i].config, kInitKey,
                             workspace + "/runs/" + plan.runIds[i] + "/" + sweep::kInitLink);
    for (const auto& run : plan.runs) plan.commands.push_back(program.command(sweep, run, ready, workspace));
    plan.script = arrayScript({.sweepId = plan.sweepId,
                               .sweepName = sweep.name,
                               .tasks = plan.runs.size(),
                               .resources = sweep.resources,
                               .workspace = workspace,
                               .program = program.parts(sweep, ready, workspace),
                               .environment = sweep.environment,
                               .after = before.dependency},
                              profile);
    return plan;
}

void recordLaunch(const Cluster& cluster, const LaunchPlan& plan, tracking::Store& store) {
    tracking::SweepRecord record;
    record.id = plan.sweepId;
    record.name = plan.sweep.name;
    record.cluster = cluster.profile().name;
    record.experimentId =
        store.ensureExperiment(plan.sweep.experiment.empty() ? plan.sweep.name : plan.sweep.experiment);
    record.yaml = sweep::toYaml(plan.sweep);
    record.script = plan.script;
    record.createdMs = unixMillis();
    std::vector<tracking::Run> runs;
    const Program& program = programOf(plan.sweep);
    const auto predict = program.predictor(plan.sweep, cluster.profile(), cluster.facts());
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        runs.push_back(recordOf(cluster, record, plan.runs[i], i));
        for (const auto& [key, value] : program.tags(plan.sweep)) runs.back().tags[key] = value;
        predict(runs.back(), plan.runs[i].config);
    }
    store.createSweep(record, runs);
}

std::string submitLaunch(Cluster& cluster, const LaunchPlan& plan, tracking::Store& store,
                         const Progress& progress, std::stop_token stop) {
    return uploadAndSubmit(cluster, store, launchSubmission(plan), progress, stop);
}

std::string launch(Cluster& cluster, const LaunchPlan& plan, tracking::Store& store, const Progress& progress,
                   std::stop_token stop) {
    recordLaunch(cluster, plan, store);
    return submitLaunch(cluster, plan, store, progress, stop);
}

namespace {

/// Sweeps of this cluster whose submission is not known to have happened.
std::vector<tracking::SweepRecord> unsettled(const tracking::Store& store, const std::string& cluster) {
    auto records = store.sweeps();
    std::erase_if(records, [&](const tracking::SweepRecord& record) {
        if (record.cluster != cluster || !record.jobId.empty()) return true;
        const auto runs = sweepRuns(store, record.id);
        return std::none_of(runs.begin(), runs.end(),
                            [](const SweepRun& r) { return tracking::isActive(r.run.status); });
    });
    return records;
}

/// false: it has to wait for the job of another.
bool resumeLaunch(Cluster& cluster, tracking::Store& store, const tracking::SweepRecord& record,
                  const Progress& progress, const std::stop_token& stop) {
    if (progress) progress("Looking for the job of sweep " + record.name);
    if (const auto jobId = findSubmittedJob(cluster, record.id, stop)) {
        recordSubmission(store, record.id, *jobId);
        return true;
    }
    Submission submission = submissionFromRecord(store, record);
    if (!upstreamSweep(record).empty()) {
        const auto script = scriptWithTrainingJob(store, record);
        if (!script) return false;
        submission.script = *script;
    }
    writeSubmissionFiles(cluster, submission, progress, stop);
    submitRecorded(cluster, store, submission, progress);
    return true;
}

}  // namespace

bool hasLaunchesToResume(const tracking::Store& store, const std::string& cluster) {
    return !unsettled(store, cluster).empty();
}

std::vector<std::string> resumeLaunches(Cluster& cluster, tracking::Store& store, const Progress& progress,
                                        const std::function<void(const Error&)>& failed,
                                        std::stop_token stop) {
    std::vector<std::string> settled;
    auto records = unsettled(store, cluster.profile().name);
    // what is waited for has its job first
    std::ranges::stable_partition(records, [](const auto& record) { return upstreamSweep(record).empty(); });
    for (const tracking::SweepRecord& record : records) {
        if (stop.stop_requested()) throw Cancelled();
        try {
            if (resumeLaunch(cluster, store, record, progress, stop)) settled.push_back(record.id);
        } catch (const slurm::ControllerUnreachable&) {
            throw;  // it would not answer for the next either
        } catch (const Error& error) {
            if (ssh::isConnectionError(error)) throw;
            if (failed) failed(error);
        }
    }
    return settled;
}

}  // namespace dailies::remote

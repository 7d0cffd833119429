#include "remote/launch/extend.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/curating_run.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/scored_run.h"
#include "remote/cluster/run_cluster.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/source_runs.h"
#include "remote/launch/submission.h"
#include "remote/program/program.h"
#include "remote/slurm/output.h"

#include <algorithm>

namespace dailies::remote {

namespace {

Json configOnCluster(Cluster& cluster, const std::string& runId, std::stop_token stop) {
    const std::string file = cluster.runFolder(runId) + "/config.json";
    const auto result = cluster.session().run("cat -- " + shellQuote(file) + "\n", stop);
    if (!result.ok())
        throw Error("The run's " + file + " cannot be read on cluster '" + cluster.profile().name +
                        "': " + sanitizedText(trim(result.err)) + ".",
                    "Its folder may have been removed; fork the run instead.");
    return parseJson(result.out, file);
}

/// The pause begins where its last attempt ended. Of a job that Slurm has forgotten the run alone knows when
/// that was, and its next attempt takes that end away.
void endLastAttempt(tracking::Store& store, const tracking::Run& run) {
    auto attempts = store.attempts(run.id);
    const auto last = std::ranges::max_element(attempts, {}, &tracking::Attempt::startMs);
    if (last == attempts.end() || last->startMs == 0 || last->endMs > 0 || !run.endMs) return;
    last->endMs = std::max(*run.endMs, last->startMs);
    store.putAttempt(*last);
}

}  // namespace

void extendRun(Cluster& cluster, tracking::Store& store, const std::string& runId, std::int64_t steps,
               std::stop_token stop) {
    const auto run = requireRun(store, runId);
    requireConnected(&cluster, run);
    if (tracking::isActive(run.status))
        throw InputError("The run " + sanitizedText(run.name) + " has not ended.",
                         "Wait until it has, or cancel it.");
    if (run.tags.contains(tracking::tag::kSampledRun))
        throw InputError("The run " + sanitizedText(run.name) + " samples a checkpoint; it does not train.",
                         "Extend the run whose checkpoint it samples.");
    if (run.tags.contains(tracking::tag::kScoredRun))
        throw InputError("The run " + sanitizedText(run.name) + " scores clips; it does not train.",
                         "Extend the run whose clips it scores.");
    if (run.tags.contains(tracking::tag::kCuratedFolder))
        throw InputError("The run " + sanitizedText(run.name) + " makes a dataset; it does not train.",
                         "Send its job again: what is done is not done again.");
    const auto record = requireSweep(store, run);
    if (!programOf(run).steps(run))
        throw InputError("How many steps the run " + sanitizedText(run.name) +
                             " trains is up to its program, so it cannot be extended.",
                         "Launch its sweep file with more steps, or it again: dailies launch --again RUN.");
    Json config = configOnCluster(cluster, runId, stop);
    if (const auto planned = config.value("steps", std::int64_t{0}); steps <= planned)
        throw InputError("The run " + sanitizedText(run.name) + " had " + std::to_string(planned) +
                             " steps; it cannot be extended to " + std::to_string(steps) + ".",
                         "Choose more steps.");
    config["steps"] = steps;

    const std::string id = record.id + "." + runId.substr(0, 8) + "." + std::to_string(steps);
    Submission submission{id, {}, singleRunScript(record.script, record.id, id), {{runId, config}}};
    submission.document = {
        {"sweep_id", record.id},
        {"name", record.name},
        {"runs", Json::array({{{"run_id", runId}, {"name", run.name}, {"steps", steps}}})}};
    std::string job = findSubmittedJob(cluster, id, stop).value_or("");
    if (job.empty()) {
        writeSubmissionFiles(cluster, submission, {}, stop);
        job = submit(cluster, submission);
    }
    endLastAttempt(store, run);
    store.setExtendedTo(runId, steps);
    store.setTag(runId, tracking::tag::kExtendedAfter, slurm::arrayJobId(jobOf(store, run)));
    store.setTag(runId, tracking::tag::kJob, job + "_0");
    store.removeTag({runId}, tracking::tag::kReason);
    store.removeTag({runId}, tracking::tag::kCancelled);
    store.removeTag({runId}, tracking::tag::kStoppedWhy);
    store.removeTag({runId}, tracking::tag::kSlurmState);
    store.setStatus(runId, tracking::RunStatus::Scheduled);
}

}  // namespace dailies::remote

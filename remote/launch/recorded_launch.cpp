#include "remote/launch/recorded_launch.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/slurm/controller_unreachable.h"
#include "remote/ssh/session_error.h"

namespace dailies::remote {

using tracking::RunStatus;

void endActiveRuns(tracking::Store& store, const std::string& sweepId, RunStatus status,
                   const std::string& reason) {
    for (const SweepRun& entry : sweepRuns(store, sweepId)) {
        if (!tracking::isActive(entry.run.status)) continue;
        store.setTag(entry.run.id, tracking::tag::kReason, reason);
        store.addMessage({entry.run.id, unixMillis(), "error", reason});
        store.setStatus(entry.run.id, status, unixMillis());
    }
}

std::string submitRecorded(Cluster& cluster, tracking::Store& store, const Submission& submission,
                           const Progress& progress) {
    if (progress) progress("Submitting the job array");
    std::string jobId;
    try {
        jobId = submit(cluster, submission);
    } catch (const ssh::SessionError&) {
        throw;  // resumeLaunches finds out
    } catch (const slurm::ControllerUnreachable& error) {
        // It may have heard, so the runs have not failed: resumeLaunches asks it again.
        throw slurm::ControllerUnreachable(
            error.what(),
            "slurmctld does not answer; it may be restarting. The runs are recorded and will be submitted "
            "with the next connection, once; cancel them if they should not be.");
    } catch (const Error& error) {
        endActiveRuns(store, submission.id, RunStatus::Failed, error.full());
        throw;
    }
    recordSubmission(store, submission.id, jobId);
    if (progress) progress("Submitted as job " + jobId);
    return jobId;
}

std::string uploadAndSubmit(Cluster& cluster, tracking::Store& store, const Submission& submission,
                            const Progress& progress, std::stop_token stop) {
    try {
        writeSubmissionFiles(cluster, submission, progress, stop);
        if (stop.stop_requested()) throw Cancelled();
    } catch (const ssh::SessionError&) {
        throw;  // recorded: resumeLaunches goes on with a new connection
    } catch (const Error& error) {
        endActiveRuns(store, submission.id, RunStatus::Failed, error.full());
        throw;
    } catch (const Cancelled&) {
        endActiveRuns(store, submission.id, RunStatus::Killed, "Cancelled before it was submitted.");
        throw;
    }
    return submitRecorded(cluster, store, submission, progress);
}

void record(const Cluster& cluster, tracking::Store& store, const std::vector<tracking::Run>& runs,
            const std::string& name, const Submission& submission) {
    tracking::SweepRecord record;
    record.id = submission.id;
    record.name = name;
    record.cluster = cluster.profile().name;
    record.experimentId = runs.front().experimentId;
    record.yaml = submission.document.dump(2);
    record.script = submission.script;
    record.createdMs = unixMillis();
    store.createSweep(record, runs);
}

std::string recordAndSubmit(Cluster& cluster, tracking::Store& store, const std::vector<tracking::Run>& runs,
                            const std::string& name, const Submission& submission, const Progress& progress,
                            std::stop_token stop) {
    record(cluster, store, runs, name, submission);
    return uploadAndSubmit(cluster, store, submission, progress, stop);
}

Submission submissionOf(const std::string& id, const Json& document, const std::string& script,
                        const char* key, TaskConfigFn configOf) {
    Submission submission{id, document, script, {}};
    for (const auto& run : document.at("runs"))
        submission.tasks.push_back({run.at("run_id").get<std::string>(), configOf(document.at(key), run),
                                    run.value("begins_from", "")});
    return submission;
}

std::optional<Submission> submissionFromRecord(const tracking::SweepRecord& record, const char* key,
                                               TaskConfigFn configOf) {
    if (!record.yaml.starts_with('{')) return std::nullopt;  // a sweep's file is YAML in block style
    const Json document = parseJson(record.yaml, "sweep " + record.id);
    if (!document.contains(key)) return std::nullopt;
    return submissionOf(record.id, document, record.script, key, configOf);
}

}  // namespace dailies::remote

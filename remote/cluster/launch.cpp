#include "remote/cluster/launch.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "remote/cluster/job_script.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/ssh/session_error.h"

#include <algorithm>

namespace dailies::remote {

namespace {

using tracking::RunStatus;
namespace tag = tracking::tag;

/// Remote scripts are sent in pieces of about this size, so that progress shows and a stop is heard.
constexpr std::size_t kUploadBytes = 1 << 20;

constexpr std::string_view kPut = R"sh(set -e
umask 022
put() { cat >"$1.new"; mv -f -- "$1.new" "$1"; }
)sh";

std::string paramText(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string putFile(const std::string& path, const std::string& text) {
    const std::string end = "END_" + newId();
    return "put " + shellQuote(path) + " <<'" + end + "'\n" + text + (text.ends_with('\n') ? "" : "\n") +
           end + "\n";
}

void runOrThrow(Cluster& cluster, const std::string& script, const std::string& what, std::stop_token stop) {
    const ssh::ExecResult result = cluster.session().run(script, stop);
    if (!result.ok())
        throw Error(
            what + " on cluster '" + cluster.profile().name + "': " + inertText(trim(result.err)) + ".",
            "Check that the workspace " + cluster.workspace() + " is writable and within its quota.");
}

/// sweep.json, array.tsv, job.sbatch and every run's folder with its config.json, each whole or absent, in
/// few remote calls. Writing them again changes nothing.
void writeFiles(Cluster& cluster, const LaunchPlan& plan, const Progress& progress, std::stop_token stop) {
    const std::string folder = cluster.sweepFolder(plan.sweepId);
    Json runs = Json::array();
    std::string array;
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        runs.push_back(
            {{"run_id", plan.runIds[i]}, {"name", plan.runs[i].name}, {"varied", plan.runs[i].varied}});
        array += std::to_string(i) + "\t" + plan.runIds[i] + "\n";
    }
    const Json document{{"sweep_id", plan.sweepId},
                        {"name", plan.sweep.name},
                        {"yaml", sweep::toYaml(plan.sweep)},
                        {"runs", runs}};
    std::string script = std::string(kPut) + "mkdir -p -- " + shellQuote(folder) + "\n";
    script += putFile(folder + "/sweep.json", document.dump(2)) + putFile(folder + "/array.tsv", array) +
              putFile(folder + "/job.sbatch", plan.script);
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        const std::string run = cluster.runFolder(plan.runIds[i]);
        script += "mkdir -p -- " + shellQuote(run + "/logs") + "\n" +
                  putFile(run + "/config.json", plan.runs[i].config.dump(2));
        if (script.size() < kUploadBytes && i + 1 < plan.runs.size()) continue;
        if (stop.stop_requested()) throw Cancelled();
        runOrThrow(cluster, script, "The sweep's files could not be written", stop);
        if (progress)
            progress("Wrote " + std::to_string(i + 1) + " of " + std::to_string(plan.runs.size()) + " runs");
        script = kPut;
    }
}

void settleRuns(tracking::Store& store, const std::string& sweepId, RunStatus status,
                const std::string& reason) {
    for (const SweepRun& entry : sweepRuns(store, sweepId)) {
        if (!tracking::isActive(entry.run.status)) continue;
        store.setTag(entry.run.id, tag::kReason, reason);
        store.addMessage({entry.run.id, unixMillis(), "error", reason});
        store.setStatus(entry.run.id, status, unixMillis());
    }
}

/// Not stopped half-way: what sbatch did must become known.
std::string submitRecorded(Cluster& cluster, tracking::Store& store, const std::string& sweepId,
                           const std::string& script, const Progress& progress) {
    if (progress) progress("Submitting the job array");
    std::string jobId;
    try {
        jobId = cluster.scheduler().submit(script, sweepId);
    } catch (const ssh::SessionError&) {
        throw;  // sbatch may have been heard: resumeLaunches finds out
    } catch (const Error& error) {
        // A time-out between sbatch and slurmctld is reported as a failure although the job may be there.
        const auto known = cluster.scheduler().findSubmission(sweepId);
        if (!known) {
            settleRuns(store, sweepId, RunStatus::Failed, error.full());
            throw;
        }
        jobId = *known;
    }
    recordSubmission(store, sweepId, jobId);
    if (progress) progress("Submitted as job " + jobId);
    return jobId;
}

/// The plan as it was recorded: the same sweep file expands to the same configs.
LaunchPlan planFromRecord(const tracking::Store& store, const tracking::SweepRecord& record) {
    LaunchPlan plan;
    plan.sweepId = record.id;
    plan.sweep = sweep::parseSweep(record.yaml, "sweep " + record.id);
    plan.runs = sweep::expand(plan.sweep);
    plan.script = record.script;
    for (const SweepRun& entry : sweepRuns(store, record.id)) plan.runIds.push_back(entry.run.id);
    if (plan.runIds.size() != plan.runs.size())
        throw Error("Sweep '" + record.name + "' was recorded with " + std::to_string(plan.runIds.size()) +
                        " runs, but its file now expands to " + std::to_string(plan.runs.size()) + ".",
                    "Cancel it and launch it again.");
    return plan;
}

/// The job that owns the sweep by its own mark: known also when Slurm has forgotten it.
std::string ownerOnCluster(Cluster& cluster, const std::string& sweepId, std::stop_token stop) {
    const auto result = cluster.session().run(
        "readlink -- " + shellQuote(cluster.sweepFolder(sweepId) + "/job") + "\n", stop);
    return std::string(trim(result.out));
}

}  // namespace

LaunchPlan planLaunch(const sweep::Sweep& sweep, const ClusterProfile& profile, const std::string& workspace,
                      const InstalledTrainer& trainer) {
    LaunchPlan plan;
    plan.sweepId = newId();
    plan.sweep = sweep;
    plan.runs = sweep::expand(sweep);
    for (std::size_t i = 0; i < plan.runs.size(); ++i) plan.runIds.push_back(newId());
    const std::string program =
        trainer.program.empty() ? workspace + "/trainer/VERSION/build/bin/dailies-train" : trainer.program;
    plan.script = arrayScript(
        {plan.sweepId, sweep.name, plan.runs.size(), sweep.resources, workspace, program}, profile);
    return plan;
}

std::string launch(Cluster& cluster, const LaunchPlan& plan, tracking::Store& store, const Progress& progress,
                   std::stop_token stop) {
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
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        tracking::Run run;
        run.id = plan.runIds[i];
        run.name = plan.runs[i].name;
        run.experimentId = record.experimentId;
        run.startMs = record.createdMs;
        const Json params = config::flatten(plan.runs[i].config);
        for (const auto& [key, value] : params.items()) run.params[key] = paramText(value);
        run.tags = {{tag::kSweep, record.id},
                    {tag::kSweepName, record.name},
                    {tag::kCluster, record.cluster},
                    {tag::kFolder, cluster.runFolder(run.id)},
                    {tag::kTask, std::to_string(i)}};
        runs.push_back(std::move(run));
    }
    store.createSweep(record, runs);
    try {
        writeFiles(cluster, plan, progress, stop);
        if (stop.stop_requested()) throw Cancelled();
    } catch (const ssh::SessionError&) {
        throw;  // recorded: resumeLaunches goes on with a new connection
    } catch (const Error& error) {
        settleRuns(store, plan.sweepId, RunStatus::Failed, error.full());
        throw;
    } catch (const Cancelled&) {
        settleRuns(store, plan.sweepId, RunStatus::Killed, "Cancelled before it was submitted.");
        throw;
    }
    return submitRecorded(cluster, store, plan.sweepId, plan.script, progress);
}

std::vector<std::string> resumeLaunches(Cluster& cluster, tracking::Store& store, const Progress& progress,
                                        std::stop_token stop) {
    std::vector<std::string> settled;
    for (const tracking::SweepRecord& record : store.sweeps()) {
        if (record.cluster != cluster.profile().name || !record.jobId.empty()) continue;
        const auto runs = sweepRuns(store, record.id);
        if (std::none_of(runs.begin(), runs.end(),
                         [](const SweepRun& r) { return tracking::isActive(r.run.status); }))
            continue;
        if (stop.stop_requested()) throw Cancelled();
        if (progress) progress("Looking for the job of sweep " + record.name);
        std::string jobId = cluster.scheduler().findSubmission(record.id, stop).value_or("");
        if (jobId.empty()) jobId = ownerOnCluster(cluster, record.id, stop);
        if (!jobId.empty()) {
            recordSubmission(store, record.id, jobId);
        } else {
            const LaunchPlan plan = planFromRecord(store, record);
            writeFiles(cluster, plan, progress, stop);
            submitRecorded(cluster, store, record.id, plan.script, progress);
        }
        settled.push_back(record.id);
    }
    return settled;
}

}  // namespace dailies::remote

#include "remote/launch/submission.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "remote/cluster/workspace_script.h"
#include "remote/ssh/session_error.h"

namespace dailies::remote {

namespace {

/// Remote scripts are sent in pieces of about this size, so that progress shows and a stop is heard.
constexpr std::size_t kUploadBytes = 1 << 20;

constexpr std::string_view kPut = R"sh(set -e
umask 022
put() { cat >"$1.new"; mv -f -- "$1.new" "$1"; }
)sh";

std::string putFile(const std::string& path, const std::string& text) {
    const std::string end = "END_" + newId();
    return "put " + shellQuote(path) + " <<'" + end + "'\n" + text + (text.ends_with('\n') ? "" : "\n") +
           end + "\n";
}

}  // namespace

void writeSubmissionFiles(Cluster& cluster, const Submission& submission, const Progress& progress,
                          std::stop_token stop) {
    const std::string folder = cluster.sweepFolder(submission.id);
    const auto& tasks = submission.tasks;
    std::string array;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        array += std::to_string(i) + "\t" + tasks[i].runId;
        array += (tasks[i].beginsFrom.empty() ? "" : "\t" + tasks[i].beginsFrom) + "\n";
    }
    std::string script = std::string(kPut) + "mkdir -p -- " + shellQuote(folder) + "\n";
    script += putFile(folder + "/sweep.json", submission.document.dump(2)) +
              putFile(folder + "/array.tsv", array) + putFile(folder + "/job.sbatch", submission.script);
    for (const auto& [name, text] : submission.files) script += putFile(folder + "/" + name, text);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const std::string run = cluster.runFolder(tasks[i].runId);
        script += "mkdir -p -- " + shellQuote(run + "/logs") + "\n" +
                  putFile(run + "/config.json", tasks[i].config.dump(2));
        for (const auto& [name, text] : tasks[i].files) script += putFile(run + "/" + name, text);
        if (script.size() < kUploadBytes && i + 1 < tasks.size()) continue;
        if (stop.stop_requested()) throw Cancelled();
        runInWorkspace(cluster, "The sweep's files could not be written", script, stop);
        if (progress)
            progress("Wrote " + std::to_string(i + 1) + " of " + std::to_string(tasks.size()) +
                     (tasks.size() == 1 ? " run" : " runs"));
        script = kPut;
    }
}

std::string submit(Cluster& cluster, const Submission& submission) {
    try {
        return cluster.scheduler().submit(submission.script, submission.id);
    } catch (const ssh::SessionError&) {
        throw;  // sbatch may have been heard
    } catch (const Error&) {
        // A time-out between sbatch and slurmctld is reported as a failure although the job may be there.
        if (auto known = cluster.scheduler().findSubmission(submission.id)) return *known;
        throw;
    }
}

std::optional<std::string> findSubmittedJob(Cluster& cluster, const std::string& id, std::stop_token stop) {
    if (auto known = cluster.scheduler().findSubmission(id, stop)) return known;
    const auto result =
        cluster.session().run("readlink -- " + shellQuote(cluster.sweepFolder(id) + "/job") + "\n", stop);
    const std::string owner(trim(result.out));
    return owner.empty() ? std::nullopt : std::optional(owner);
}

}  // namespace dailies::remote

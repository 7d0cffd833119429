#include "remote/diagnostics/preflight.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "remote/job_script/job_script.h"
#include "remote/slurm/fields.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestReport = 16 << 20;
constexpr std::size_t kLogShown = 2000;

/// Names of folders come from the cluster; in ours only plain ones become files.
bool isPlainName(const std::string& name) {
    return !name.empty() && name.size() < 100 && name[0] != '.' &&
           std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

class PreflightJob {
public:
    PreflightJob(Cluster& cluster, const Progress& progress, std::stop_token stop)
        : m_cluster(cluster), m_progress(progress), m_stop(std::move(stop)) {}

    /// The folder of the report.
    std::string run(const InstalledTrainer& trainer, const PreflightRequest& request) {
        const auto token = newId();
        const auto folder = m_cluster.workspace() + "/preflight/" + token;
        const auto script = preflightScript(folder, trainer.program, request, m_cluster.profile());
        m_cluster.session().write(folder + "/job.sbatch", script);
        const auto job = m_cluster.scheduler().submit(script, token, m_stop);
        try {
            wait(job, folder);
        } catch (const Cancelled&) {
            m_cluster.scheduler().cancel({job});
            throw;
        }
        return folder;
    }

private:
    void wait(const std::string& job, const std::string& folder) {
        std::optional<slurm::JobStatus> last;
        for (int absent = 0;;) {
            const auto found = m_cluster.scheduler().poll({job}, m_stop);
            if (!found.empty()) last = found.front();
            if ((last && slurm::isFinal(last->state)) || (found.empty() && ++absent > 2)) break;
            if (last)
                say(last->state == "PENDING" ? "The preflight is queued. " + slurm::explain(*last)
                                             : "Measuring " + sanitizedText(last->node));
            m_cluster.waitToAskAgain(m_stop);
        }
        if (m_cluster.session().stat(folder + "/preflight.json")) return;
        const auto log = folder + "/preflight.log";
        std::string said;
        if (m_cluster.session().stat(log)) said = m_cluster.session().readAll(log, kLongestReport);
        if (said.size() > kLogShown) said.erase(0, said.size() - kLogShown);
        throw Error("The preflight ended without a report. " + (last ? slurm::explain(*last) : "") +
                        (said.empty() ? "" : "\n" + sanitizedText(trim(said))),
                    "Its log is " + log + " on the cluster.");
    }

    void say(const std::string& line) {
        if (m_progress && line != m_said) m_progress(line);
        m_said = line;
    }

    Cluster& m_cluster;
    const Progress& m_progress;
    std::stop_token m_stop;
    std::string m_said;
};

}  // namespace

preflight::Report runPreflight(Cluster& cluster, const InstalledTrainer& trainer,
                               const PreflightRequest& request, const fs::path& history,
                               const Progress& progress, std::stop_token stop) {
    const auto folder = PreflightJob(cluster, progress, stop).run(trainer, request);
    const auto text = cluster.session().readAll(folder + "/preflight.json", kLongestReport);
    const auto report = preflight::reportFromJson(parseJson(text, folder + "/preflight.json"));
    writeFileAtomically(history / (folder.substr(folder.rfind('/') + 1) + ".json"), text);
    return report;
}

int mirrorPreflights(Cluster& cluster, const fs::path& history, std::stop_token stop) {
    const auto folder = cluster.workspace() + "/preflight";
    if (!cluster.session().stat(folder)) return 0;
    int copied = 0;
    for (const auto& entry : cluster.session().list(folder)) {
        if (stop.stop_requested()) throw Cancelled();
        const auto local = history / (entry.name + ".json");
        if (!entry.stat.isFolder || !isPlainName(entry.name) || fs::exists(local)) continue;
        const auto remote = folder + "/" + entry.name + "/preflight.json";
        if (!cluster.session().stat(remote)) continue;
        writeFileAtomically(local, cluster.session().readAll(remote, kLongestReport));
        ++copied;
    }
    return copied;
}

fs::path preflightHistory(const std::string& cluster) {
    return userDataFolder() / "preflight" / jobName(cluster);
}

std::vector<preflight::Report> readPreflights(const fs::path& history, std::size_t count) {
    std::vector<preflight::Report> reports;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(history, none)) {
        try {
            reports.push_back(
                preflight::reportFromJson(parseJson(readFile(entry.path()), entry.path().string())));
        } catch (const Error&) {
            // half a report helps nobody; the cluster has the whole one
        }
    }
    std::ranges::sort(reports, std::greater<>(), &preflight::Report::time);
    if (reports.size() > count) reports.resize(count);
    return reports;
}

}  // namespace dailies::remote

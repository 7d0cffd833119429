#include "remote/follow/failure_hold.h"

#include "core/alerts/alert_records.h"
#include "core/base/clock.h"
#include "core/base/counts.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/sweep/alike_failures.h"
#include "remote/cluster/sweep_runs.h"

#include <algorithm>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;
using tracking::RunStatus;

constexpr int kLogTailBytes = 8192;  ///< of a log's end
constexpr std::size_t kLines = 8;

sweep::EndedRun endedRun(const tracking::Store& store, const tracking::Run& run) {
    sweep::EndedRun ended{run.id, run.status == RunStatus::Failed, tagOf(run, tag::kReason),
                          run.endMs.value_or(0), 0};
    if (!ended.failed) return ended;  // how long it took says nothing
    const auto attempts = store.attempts(run.id);
    if (!attempts.empty() && attempts.back().startMs > 0)
        ended.tookMs = std::max(attempts.back().endMs, ended.endMs) - attempts.back().startMs;
    return ended;
}

}  // namespace

std::vector<alerts::Alert> FailureHold::look(const std::set<std::string>& failedRuns, std::stop_token stop) {
    std::set<std::string> sweepIds;
    for (const auto& id : failedRuns)
        if (const auto run = m_store.run(id)) sweepIds.insert(tagOf(*run, tag::kSweep));
    std::vector<alerts::Alert> held;
    for (const auto& sweepId : sweepIds) {
        const auto record = m_store.sweep(sweepId);
        const std::string key = "failed/" + sweepId + "/held";
        if (!record || record->jobId.empty() || alerts::wasRaised(m_store, key)) continue;
        std::vector<sweep::EndedRun> ended;
        std::size_t waiting = 0;
        for (const auto& [task, run] : sweepRuns(m_store, sweepId)) {
            if (run.status == RunStatus::Scheduled) ++waiting;
            // what a person cancelled says nothing, and a larger model may not fit where a smaller one does
            if (tracking::isActive(run.status) || run.status == RunStatus::Killed ||
                run.tags.contains(tag::kRefused))
                continue;
            ended.push_back(endedRun(m_store, run));
        }
        const auto failed = sweep::firstRunsFailedAlike(std::move(ended));
        if (failed.empty() || waiting == 0) continue;
        alerts::Alert alert;
        alert.key = key;
        alert.runId = failed.front().id;
        alert.title = record->name + ": its first " + std::to_string(failed.size()) + " runs failed alike";
        alert.timeMs = unixMillis();
        std::vector<std::string> ids;
        for (const auto& run : failed) ids.push_back(run.id);
        const auto lines = sharedLogLines(ids, stop);
        m_cluster.scheduler().hold({record->jobId}, stop);
        alert.text = "The other " + pluralize(static_cast<std::int64_t>(waiting), "run", "runs") +
                     " on hold: cancel the sweep, or release job " + record->jobId + " to run them anyway. " +
                     firstNonEmpty(failed.front().reason, "The runs gave no reason.");
        if (!lines.empty()) alert.text += "\nTheir logs end with:\n" + join(lines, "\n");
        if (alerts::raise(m_store, alert)) held.push_back(std::move(alert));
    }
    return held;
}

std::vector<std::string> FailureHold::sharedLogLines(const std::vector<std::string>& runIds,
                                                     std::stop_token stop) {
    const std::string boundary = newId();
    std::string script;
    for (const auto& id : runIds) {
        const auto attempts = m_store.attempts(id);
        if (attempts.empty()) return {};
        script += "tail -c " + std::to_string(kLogTailBytes) + " -- " +
                  shellQuote(m_cluster.runFolder(id) + "/logs/" + attempts.back().job + ".out") +
                  " 2>/dev/null\nprintf '%s' " + boundary + "\n";
    }
    const std::string out = m_cluster.session().run(script, std::move(stop)).out;
    std::vector<std::string> logs;
    for (std::size_t at = 0, end = 0; (end = out.find(boundary, at)) != std::string::npos;
         at = end + boundary.size())
        logs.push_back(out.substr(at, end - at));
    return logs.size() == runIds.size() ? sweep::sharedLastLines(logs, kLines) : std::vector<std::string>{};
}

}  // namespace dailies::remote

#include "remote/cluster/sweep_runs.h"

#include <algorithm>
#include <charconv>

namespace dailies::remote {

namespace tag = tracking::tag;

namespace {

std::string tagOf(const tracking::Run& run, const char* key) {
    const auto at = run.tags.find(key);
    return at == run.tags.end() ? std::string() : at->second;
}

}  // namespace

std::vector<SweepRun> sweepRuns(const tracking::Store& store, const std::string& sweepId) {
    std::vector<SweepRun> found;
    for (tracking::Run& run : store.runs()) {
        if (tagOf(run, tag::kSweep) != sweepId) continue;
        const std::string task = tagOf(run, tag::kTask);
        std::size_t index = 0;
        if (std::from_chars(task.data(), task.data() + task.size(), index).ec != std::errc()) continue;
        found.push_back({index, std::move(run)});
    }
    std::ranges::sort(found, {}, &SweepRun::task);
    return found;
}

void recordSubmission(tracking::Store& store, const std::string& sweepId, const std::string& jobId) {
    store.setSweepJob(sweepId, jobId);
    for (const SweepRun& entry : sweepRuns(store, sweepId))
        store.setTag(entry.run.id, tag::kJob, jobId + "_" + std::to_string(entry.task));
}

std::string jobOf(const tracking::Store& store, const tracking::Run& run) {
    if (const std::string job = tagOf(run, tag::kJob); !job.empty()) return job;
    const auto sweep = store.sweep(tagOf(run, tag::kSweep));
    const std::string task = tagOf(run, tag::kTask);
    return !sweep || sweep->jobId.empty() || task.empty() ? std::string() : sweep->jobId + "_" + task;
}

}  // namespace dailies::remote

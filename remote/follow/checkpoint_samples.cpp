#include "remote/follow/checkpoint_samples.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/tracking/run_tags.h"
#include "remote/slurm/output.h"

#include <algorithm>
#include <utility>

namespace dailies::remote {

namespace {

/// A job that Slurm does not know in one answer may have left it between its last mark and the reading of it.
constexpr int kUnseenOften = 2;

std::string placeOf(const SampleRecord& record) {
    return "checkpoint_samples/step_" + std::to_string(record.step) + ".txt in the run's folder says why.";
}

}  // namespace

std::vector<std::string> CheckpointSamples::openJobs() const {
    std::vector<std::string> jobs;
    for (const auto& [runId, samples] : m_runs)
        for (const auto& record : samples.records)
            if (isOpen(samples, record)) jobs.push_back(record.job);
    return jobs;
}

bool CheckpointSamples::isOpen(const Samples& samples, const SampleRecord& record) const {
    return !record.ended && !samples.lost.contains(record.job);
}

CheckpointSamples::Report CheckpointSamples::look(const std::map<std::string, std::string>& attempts,
                                                  const std::map<std::string, slurm::JobStatus>& statuses) {
    Report report;
    for (const auto& [runId, text] : attempts) {
        auto records = parseSamples(text);
        if (records.empty()) continue;
        Samples& samples = m_runs[runId];
        noticeLost(samples, statuses);  // of those that were open when Slurm was asked
        samples.records = std::move(records);
        record(runId, samples, report);
    }
    return report;
}

void CheckpointSamples::noticeLost(Samples& samples,
                                   const std::map<std::string, slurm::JobStatus>& statuses) {
    for (const auto& record : samples.records) {
        if (!isOpen(samples, record)) continue;
        const auto status = statuses.find(record.job);
        const bool isGone = status == statuses.end() || slurm::isFinal(status->second.state);
        if (!isGone) {
            samples.unseen.erase(record.job);
        } else if (++samples.unseen[record.job] >= kUnseenOften) {
            const auto why = status == statuses.end() ? std::string() : slurm::explain(status->second);
            samples.lost[record.job] = why.empty() ? "Slurm no longer knows its job." : why;
        }
    }
}

void CheckpointSamples::record(const std::string& runId, Samples& samples, Report& report) {
    tracking::SampleCounts counts;
    std::vector<std::string> failures;
    for (const auto& record : samples.records) {
        const std::string what = "The checkpoint of step " + std::to_string(record.step);
        const auto lost = samples.lost.find(record.job);
        if (isOpen(samples, record)) {
            ++counts.waiting;
        } else if (record.ended && record.exitCode == 0) {
            ++counts.sampled;
        } else {
            ++counts.failed;
            failures.push_back(record.job.empty()
                                   ? what + " could not be given to a job to sample; the run's log says why."
                               : record.ended ? what + " was not sampled: the command ended with exit code " +
                                                    std::to_string(record.exitCode) + "; " + placeOf(record)
                                              : what + " was not sampled. " + lost->second);
        }
    }
    if (std::exchange(samples.recorded, counts) == counts) return;
    const auto run = m_store.run(runId);
    if (!run || tracking::sampleCountsOf(*run) == counts) return;
    std::set<std::string> known;
    for (const auto& message : m_store.messages(runId)) known.insert(message.text);
    for (const auto& text : failures) {
        if (known.contains(text)) continue;
        m_store.addMessage({runId, unixMillis(), "warning", text});
        report.notes.push_back(sanitizedText(run->name) + ": " + text);
    }
    m_store.setTag(runId, tracking::tag::kSamples, tracking::toTag(counts));  // last: with it they are told
    report.changedRuns.insert(runId);
}

bool CheckpointSamples::isWaitedFor(const std::string& runId) const {
    const auto samples = m_runs.find(runId);
    return samples != m_runs.end() && std::ranges::any_of(samples->second.records, [&](const auto& record) {
               return isOpen(samples->second, record);
           });
}

int CheckpointSamples::waiting() const {
    return static_cast<int>(openJobs().size());
}

}  // namespace dailies::remote

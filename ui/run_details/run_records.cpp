#include "ui/run_details/run_records.h"

#include "core/tracking/artifact_root.h"

#include <algorithm>

namespace dailies::ui {

RunRecords loadRecords(const tracking::Store& store, const std::string& runId) {
    RunRecords records;
    records.run = store.run(runId);
    if (!records.run) return records;
    records.attempts = store.attempts(runId);
    std::stable_sort(records.attempts.begin(), records.attempts.end(), [](const auto& a, const auto& b) {
        return std::pair(a.startMs, a.restarts) < std::pair(b.startMs, b.restarts);
    });
    records.restarts = store.restarts(runId);
    records.messages = store.messages(runId);
    records.checkpoints = store.checkpoints(runId);
    records.sources = store.sourceCursors(runId);
    records.tellsEvents = store.ingestState(runId).offset > 0;
    const auto mirrored = tracking::artifactRoot(store.file()) / runId;
    for (const auto& checkpoint : records.checkpoints) {
        std::error_code absent;
        if (std::filesystem::exists(mirrored / checkpoint.path, absent))
            records.pulled.insert(checkpoint.step);
    }
    if (const auto tag = records.run->tags.find(tracking::tag::kSweep); tag != records.run->tags.end())
        if (const auto sweep = store.sweep(tag->second)) records.launchedMs = sweep->createdMs;
    return records;
}

}  // namespace dailies::ui

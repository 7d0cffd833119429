#pragma once

#include "core/tracking/store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dailies::ui {

/// Everything that the store knows of one run beside its curves. A snapshot; any thread may read it.
struct RunRecords {
    std::optional<tracking::Run> run;         ///< nullopt: it is not in the store (any more)
    std::vector<tracking::Attempt> attempts;  ///< oldest first
    std::vector<tracking::Restart> restarts;
    std::vector<tracking::RunMessage> messages;  ///< oldest first
    std::vector<tracking::CheckpointRecord> checkpoints;
    std::set<std::int64_t> pulled;  ///< steps whose checkpoint is in the mirror, too
    /// Files of the program's own that were read, by their path in the run's folder, and how far.
    std::map<std::string, tracking::SourceCursor> sources;
    bool tellsEvents = false;     ///< it writes events.jsonl
    std::int64_t launchedMs = 0;  ///< when its sweep was recorded; 0: not known
};

/// Reads them; for a worker thread.
RunRecords loadRecords(const tracking::Store& store, const std::string& runId);

}  // namespace dailies::ui

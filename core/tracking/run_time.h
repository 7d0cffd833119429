#pragma once

#include "core/tracking/store.h"

#include <algorithm>

namespace dailies::tracking {

/// From the run's start to its end, or to `nowMs` while it is active, whatever happened in between: a run
/// that ended and was let train on a week later took a week by the clock. 0 where that is not known.
inline std::int64_t wallMs(const Run& run, std::int64_t nowMs) {
    const std::int64_t end = run.endMs.value_or(isActive(run.status) ? nowMs : 0);
    const bool begun = run.startMs > 0 && (run.status != RunStatus::Scheduled || run.pausedSinceMs);
    return begun ? std::max<std::int64_t>(0, end - run.startMs) : 0;
}

/// How long the run trained: its attempts together, without what lies between them. One that waits to go on
/// has what it trained before.
inline std::int64_t trainingMs(const Run& run, std::int64_t nowMs) {
    const bool waits = run.status == RunStatus::Scheduled && run.pausedSinceMs;
    const std::int64_t took =
        waits ? std::max<std::int64_t>(0, *run.pausedSinceMs - run.startMs) : wallMs(run, nowMs);
    return std::max<std::int64_t>(0, took - run.pausedMs);
}

}  // namespace dailies::tracking

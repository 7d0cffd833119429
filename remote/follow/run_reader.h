#pragma once

#include "remote/ssh/session.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Where to go on reading a run's events.jsonl.
struct ReadPosition {
    std::string runId;
    std::int64_t offset = 0;
};

/// What was new in a run's folder.
struct RunUpdate {
    std::int64_t size = 0;  ///< of events.jsonl now; 0 while there is none
    std::string events;     ///< its bytes from the offset on, at most kChunkBytes
    std::string attempts;   ///< attempts.tsv, whole
};

/// A run's share of one reading, and all runs' share: what is over is read by the next call.
inline constexpr std::int64_t kChunkBytes = 4 << 20;
inline constexpr std::int64_t kMaxReadBytes = 32 << 20;

/// Reads all these runs in one remote call. Runs without a folder (not yet started) are absent from the
/// result.
std::map<std::string, RunUpdate> readRuns(ssh::Session& session, const std::string& workspace,
                                          const std::vector<ReadPosition>& positions,
                                          std::stop_token stop = {});

/// Splits what the remote script printed; throws `Error` when it is not framed as it should be. Pure.
std::map<std::string, RunUpdate> parseRunUpdates(const std::string& out);

}  // namespace dailies::remote

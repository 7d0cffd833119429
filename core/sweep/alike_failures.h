#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Whether a sweep is not worth going on with: what ends its first runs will end the others, too.
namespace dailies::sweep {

/// A run that has ended.
struct EndedRun {
    std::string id;
    bool failed = false;
    std::string reason;       ///< why; runs that differ in numbers only failed alike
    std::int64_t endMs = 0;   ///< unix ms
    std::int64_t tookMs = 0;  ///< that its last attempt ran
};

/// How many runs must have failed alike, with none between them that did not, and how fast each.
inline constexpr std::size_t kAlikeFailures = 3;
inline constexpr std::int64_t kFailedAtOnceMs = 60'000;

/// The runs that ended first, if all of them failed at once and for the same reason; else none. `runs`: all
/// of the sweep's that have ended, in any order.
std::vector<EndedRun> firstRunsFailedAlike(std::vector<EndedRun> runs);

/// The last lines that all logs end with, as the first log has them: numbers, and what is within 0x…, may
/// differ. At most `most`; empty where the logs differ in their last line.
std::vector<std::string> sharedLastLines(const std::vector<std::string>& logs, std::size_t most);

}  // namespace dailies::sweep

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a person wants to be told of while they look elsewhere. Pure functions.
namespace dailies::alerts {

enum class Kind { Failed, Stuck, Diverged, Finished, Disk, Idle };
/// Whether somebody has to look at it. A run that finished is news, told once, and stays in no list of
/// alerts.
constexpr bool needsAttention(Kind kind) {
    return kind != Kind::Finished;
}
std::string_view toText(Kind kind);  ///< "failed", "stuck", …
std::optional<Kind> kindFromText(std::string_view word);

struct Alert {
    std::string key;  ///< raised once under it: what has not changed since is not told again
    Kind kind = Kind::Failed;
    std::string runId;  ///< empty: about a cluster
    std::string title;  ///< "lr=0.01 diverged"
    std::string text;   ///< a sentence: what, and what to do
    std::int64_t timeMs = 0;
    bool acknowledged = false;
};

/// What is known of a run at one moment.
struct RunSnapshot {
    std::string runId, name;
    bool running = false, finished = false, failed = false;
    std::string reason;        ///< why it ended
    std::int64_t startMs = 0;  ///< of its newest attempt
    std::int64_t endMs = 0;
    std::int64_t tookMs = 0;       ///< that it trained
    std::int64_t lastStep = 0;     ///< 0: it has logged nothing yet
    std::int64_t lastPointMs = 0;  ///< when its newest attempt logged last; 0: not yet
    std::int64_t usualMs = 0;      ///< between two of its points; 0: not known
    std::vector<double> losses;    ///< of its whole way so far in some dozens of places, the newest last
    double dataWait = 0;           ///< of each step lately, the share that it waited for clips
    double rankWait = 0;           ///< and for sums over the other ranks
};

struct Limits {
    std::int64_t silentMs = 15 * 60'000;         ///< without a point before a running run counts as stuck …
    std::int64_t silentAtStartMs = 45 * 60'000;  ///< … and before its first: it may compile and load
    int silentPoints = 20;                       ///< and as many of its usual distances
    double spike = 5;                   ///< times the median of the losses before: the newest is a divergence
    double diskFull = 0.95;             ///< share of a file system or quota
    double idle = 0.4;                  ///< share of each step in which devices wait …
    std::int64_t idleMs = 10 * 60'000;  ///< … once a run trains for so long: its first steps warm up
};

/// What is to be told of the run now, under keys that stay the same for the same occurrence.
std::vector<Alert> evaluateRun(const RunSnapshot& run, const Limits& limits, std::int64_t nowMs);

/// Of a cluster's workspace, at most once a day; nullopt while there is room.
std::optional<Alert> evaluateDisk(const std::string& cluster, double share, const std::string& room,
                                  const Limits& limits, std::int64_t nowMs);

}  // namespace dailies::alerts

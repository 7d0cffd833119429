#include "core/alerts/rules.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace dailies::alerts {

namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 6> kKinds{{{Kind::Failed, "failed"},
                                                                   {Kind::Stuck, "stuck"},
                                                                   {Kind::Diverged, "diverged"},
                                                                   {Kind::Finished, "finished"},
                                                                   {Kind::Disk, "disk"},
                                                                   {Kind::Idle, "idle"}}};

constexpr std::size_t kFewLosses = 8;  ///< too few to know what is usual
constexpr std::int64_t kDayMs = 24 * 3'600'000;

Alert alertOf(const RunSnapshot& run, Kind kind, const std::string& occurrence, const std::string& title,
              const std::string& text, std::int64_t timeMs) {
    Alert alert;
    alert.key = std::string(toText(kind)) + "/" + run.runId + "/" + occurrence;
    alert.kind = kind;
    alert.runId = run.runId;
    alert.title = run.name + " " + title;
    alert.text = text;
    alert.timeMs = timeMs;
    return alert;
}

/// "NaN" or "5.2 times what it was": why these losses are no training any more; empty when they are.
std::string divergence(const std::vector<double>& losses, double spike) {
    if (losses.empty()) return {};
    const double last = losses.back();
    if (!std::isfinite(last)) return "Its loss is NaN or infinite.";
    std::vector<double> before(losses.begin(), losses.end() - 1);
    std::erase_if(before, [](double loss) { return !std::isfinite(loss); });
    if (before.size() < kFewLosses) return {};
    const auto middle = before.begin() + static_cast<std::ptrdiff_t>(before.size() / 2);
    std::nth_element(before.begin(), middle, before.end());
    // The beginning of training is high, too: a loss that falls is above its median by nobody's fault.
    const double highest = *std::max_element(before.begin(), before.end());
    if (*middle <= 0 || last < spike * *middle || last < highest) return {};
    return "Its loss is " + std::to_string(static_cast<int>(std::lround(last / *middle))) +
           " times its median.";
}

/// What its devices wait for, and what helps; empty while they have enough to do.
std::string idleness(const RunSnapshot& run, double limit) {
    const auto percent = [](double share) { return std::to_string(std::lround(100 * share)) + " %"; };
    if (run.dataWait > limit)
        return "It spends " + percent(run.dataWait) +
               " of each step waiting for data. Raise data.workers, or train on cached latents "
               "(dailies-train cache).";
    if (run.rankWait > limit)
        return "It spends " + percent(run.rankWait) +
               " of each step waiting for other ranks. Raise optimizer.accumulate or the batch size, or use "
               "fewer nodes.";
    return {};
}

}  // namespace

std::string_view toText(Kind kind) {
    for (const auto& [value, word] : kKinds)
        if (value == kind) return word;
    return "failed";
}

std::optional<Kind> kindFromText(std::string_view word) {
    for (const auto& [value, text] : kKinds)
        if (text == word) return value;
    return std::nullopt;
}

std::vector<Alert> evaluateRun(const RunSnapshot& run, const Limits& limits, std::int64_t nowMs) {
    std::vector<Alert> alerts;
    if (run.finished) {
        const auto took = durationText(run.tookMs);
        alerts.push_back(alertOf(run, Kind::Finished, std::to_string(run.endMs), "finished",
                                 took.empty() ? "It took less than a second." : "It took " + took + ".",
                                 run.endMs));
    }
    if (run.failed)
        alerts.push_back(alertOf(run, Kind::Failed, std::to_string(run.endMs), "failed",
                                 run.reason.empty() ? "Its log says why." : run.reason, run.endMs));
    if (!run.running) return alerts;

    if (const std::string why = divergence(run.losses, limits.spike); !why.empty())
        alerts.push_back(alertOf(run, Kind::Diverged, "", "diverged",
                                 why + " Cancel it, or extend an earlier checkpoint.", nowMs));

    if (const std::string why = idleness(run, limits.idle);
        !why.empty() && run.lastPointMs - run.startMs > limits.idleMs)
        alerts.push_back(alertOf(run, Kind::Idle, "", "has idle devices", why, nowMs));

    const bool begun = run.lastPointMs > 0;
    const std::int64_t silent = nowMs - (begun ? run.lastPointMs : run.startMs);
    const std::int64_t patience =
        begun ? std::max(limits.silentMs, limits.silentPoints * run.usualMs) : limits.silentAtStartMs;
    if (run.startMs > 0 && silent > patience)
        alerts.push_back(alertOf(run, Kind::Stuck, std::to_string(run.lastStep), "makes no progress",
                                 (begun ? "No new step since step " + std::to_string(run.lastStep) + ", "
                                        : std::string("It has logged nothing yet, ")) +
                                     durationText(silent) + (begun ? " ago." : " since it started.") +
                                     " See its log.",
                                 nowMs));
    return alerts;
}

std::optional<Alert> evaluateDisk(const std::string& cluster, double share, const std::string& room,
                                  const Limits& limits, std::int64_t nowMs) {
    if (!(share >= limits.diskFull)) return std::nullopt;
    Alert alert;
    alert.key = "disk/" + cluster + "/" + std::to_string(nowMs / kDayMs);
    alert.kind = Kind::Disk;
    alert.title = "The workspace on " + cluster + " is nearly full";
    alert.text = room + " Runs fail when they cannot write a checkpoint; delete files you no longer need.";
    alert.timeMs = nowMs;
    return alert;
}

}  // namespace dailies::alerts

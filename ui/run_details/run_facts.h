#pragma once

#include "core/events/certificate.h"
#include "ui/run_details/run_records.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// One thing that is known of a run, in a person's words.
struct Fact {
    QString name;
    QString value;
    bool mono = false;  ///< ids, numbers, paths
    bool path = false;  ///< both ends tell more than the middle; wanted elsewhere: a click copies it
    QString tip = {};   ///< empty: none; a path has one of its own
    bool operator==(const Fact&) const = default;
};

struct FactGroup {
    QString title = {};  ///< empty: none
    std::vector<Fact> facts = {};
    bool operator==(const FactGroup&) const = default;
};

/// How far a run is and how fast it goes.
struct Pace {
    std::int64_t step = 0;                ///< the highest that was logged
    std::int64_t steps = 0;               ///< that it is to make; 0: not known
    double stepsPerSecond = 0;            ///< of its newest attempt; 0: not known
    std::optional<std::int64_t> etaMs{};  ///< until its last step, as it stood when it was last heard of
};
Pace paceOf(const RunRecords& records);

/// "Step 812 of 1,600 (50%) · 3.2 steps/s · about 4 min left · loss 0.123"; empty before the first step.
QString progressText(const RunRecords& records);

/// When the cluster last told something new of the run: its newest point, attempt or message. 0: never.
std::int64_t lastSeenMs(const RunRecords& records);
std::int64_t lastSeenMs(const tracking::Run& run, const std::vector<tracking::Attempt>& attempts);
/// Whether an active run may have gone on unseen: its cluster is not the one that is connected.
bool mayBeStale(const tracking::Run& run, const std::string& connectedTo);
/// Whether a run that another program (MLflow) logs as running has logged nothing for an hour: nobody follows
/// it, and a program that was killed says no more.
bool isSilent(const RunRecords& records, std::int64_t nowMs);
/// Until when something is known of the run: now, or when it was last heard of, where its time is to stand
/// still.
std::int64_t knownUntilMs(const RunRecords& records, const std::string& connectedTo, std::int64_t nowMs);
/// "as of 14:32, not connected to lab" for a run that may have gone on since, "no updates since 14:32"
/// for a silent one; empty while its cluster is connected (`connectedTo`), and for a run that has ended.
QString freshnessText(const RunRecords& records, const std::string& connectedTo, std::int64_t nowMs);

/// "9 (SIGKILL)", "exit code 1": what a Slurm "code:signal" says. Empty for none and for success.
QString exitText(const std::string& exitCode);

/// What the run proved of its layout before it trained; nullopt where it proved nothing.
std::optional<events::Certificate> certificateOf(const tracking::Run& run);

FactGroup identityFacts(const RunRecords& records);                    ///< id, experiment, sweep, …
FactGroup timingFacts(const RunRecords& records, std::int64_t nowMs);  ///< started, duration, pace
FactGroup machineFacts(const RunRecords& records);                     ///< cluster, job, node, folder
FactGroup layoutFacts(const RunRecords& records);                      ///< its certificate
FactGroup predictionFacts(const RunRecords& records);  ///< what was predicted, against what it measures
FactGroup trainerFacts(const RunRecords& records);     ///< version and its facts
/// What a program of the user's own logs with, and how late that is; empty for dailies-train.
FactGroup sourceFacts(const RunRecords& records);
FactGroup metricFacts(const tracking::Run& run, std::size_t most);  ///< latest values
FactGroup paramFacts(const tracking::Run& run, const std::vector<std::string>& keys);
/// One group an attempt, the newest first: what became of it and why, in words.
std::vector<FactGroup> attemptFacts(const RunRecords& records, std::int64_t nowMs);

}  // namespace dailies::ui

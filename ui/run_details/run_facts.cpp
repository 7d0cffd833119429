#include "ui/run_details/run_facts.h"

#include "core/base/error.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/planner/memory.h"
#include "core/sources/registry.h"
#include "core/tracking/clip_path.h"
#include "core/tracking/predicted_run.h"
#include "core/tracking/run_time.h"
#include "core/tracking/sample_counts.h"
#include "core/tracking/training_run.h"
#include "remote/slurm/job.h"
#include "ui/run_details/run_columns.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace dailies::ui {

namespace {

using tracking::Attempt;

constexpr std::int64_t kSilenceMs = 3'600'000;

class Facts {
public:
    explicit Facts(const QString& title) { m_group.title = title; }
    /// Nothing is said of what is not known.
    void add(const QString& name, const QString& value, bool mono = false) {
        if (!value.isEmpty()) m_group.facts.push_back({name, value, mono});
    }
    /// Of the last one.
    void explain(const QString& tip) {
        if (!m_group.facts.empty()) m_group.facts.back().tip = tip;
    }
    void path(const QString& name, const QString& value) {
        if (!value.isEmpty()) m_group.facts.push_back({name, value, true, true});
    }
    void tag(const tracking::Run& run, const QString& name, const char* key, bool mono = false) {
        add(name, sanitized(tagOf(run, key)), mono);
    }
    FactGroup take() { return std::move(m_group); }

private:
    FactGroup m_group;
};

QString tr(const char* text) {
    return QObject::tr(text);
}

/// "12,000", as the charts write steps.
QString countText(std::int64_t count) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(count));
}

/// What the trainer tells of itself: large numbers in groups, fractions with the digits that a person reads.
/// Everything else (a version, a name, a date) stays as it is.
QString factText(const std::string& value) {
    static const QRegularExpression count(QStringLiteral("^-?[1-9][0-9]{3,17}$"));
    static const QRegularExpression fraction(
        QStringLiteral("^-?[0-9]+(\\.[0-9]+(e[-+]?[0-9]+)?|e[-+]?[0-9]+)$"));
    const QString text = sanitized(value);
    if (count.match(text).hasMatch()) return countText(text.toLongLong());
    if (fraction.match(text).hasMatch()) return metricText(text.toDouble());
    return text;
}

QString speedText(double stepsPerSecond) {
    const auto speed = QString::number(stepsPerSecond, 'g', 3);
    return (speed == QLatin1String("1") ? tr("%1 step/s") : tr("%1 steps/s")).arg(speed);
}

/// The word of a job that Slurm no longer knows: its controller, or its records, are gone.
constexpr const char* kForgotten = "LOST";

/// Whether the run told its own end, so that what Slurm forgot of its job says nothing of it.
bool endedByItself(const tracking::Run& run) {
    return run.status == tracking::RunStatus::Finished;
}

std::int64_t newestPointMs(const tracking::Run& run) {
    std::int64_t newest = 0;
    for (const auto& [key, point] : run.metrics) newest = std::max(newest, point.timestampMs);
    return newest;
}

/// The newest point that training itself logged. What is said of the clips afterwards (scores, verdicts)
/// would make the run seem slower. step_seconds comes with training steps alone, not with a validation after
/// them.
const tracking::MetricPoint* newestTrainingPoint(const tracking::Run& run) {
    if (const auto seconds = run.metrics.find("step_seconds"); seconds != run.metrics.end())
        return &seconds->second;
    const tracking::MetricPoint* newest = nullptr;
    for (const auto& [key, point] : run.metrics) {
        if (key.starts_with("score/") || key.starts_with("review/")) continue;
        if (!newest || point.timestampMs > newest->timestampMs) newest = &point;
    }
    return newest;
}

/// How many steps it is to make.
std::int64_t plannedSteps(const tracking::Run& run) {
    const auto steps = run.params.find("steps");
    return steps == run.params.end() ? 0 : std::atoll(steps->second.c_str());
}

QString stateWord(const std::string& state) {
    std::string word = state;
    std::transform(word.begin() + !word.empty(), word.end(), word.begin() + !word.empty(),
                   [](unsigned char c) { return c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
    return sanitized(word);
}

/// From which step the attempt went on; nullopt for the first, and where that is not known.
std::optional<std::int64_t> resumedFrom(const RunRecords& records, std::size_t attempt) {
    for (const auto& restart : records.restarts)
        if (restart.attempt == static_cast<std::int64_t>(attempt) + 1) return restart.fromStep;
    return std::nullopt;
}

}  // namespace

Pace paceOf(const RunRecords& records) {
    Pace pace;
    if (!records.run) return pace;
    const auto& run = *records.run;
    pace.step = latestStep(run);
    pace.steps = plannedSteps(run);
    std::int64_t fromMs = run.startMs, fromStep = 0;
    for (const auto& restart : records.restarts)
        if (restart.timeMs > fromMs) {
            fromMs = restart.timeMs;
            fromStep = restart.fromStep;
        }
    // A job that samples or scores logs at the steps of the checkpoints that it was given.
    if (const auto* newest = tracking::isTrainingRun(run) ? newestTrainingPoint(run) : nullptr) {
        const std::int64_t took = newest->timestampMs - fromMs, made = newest->step - fromStep;
        if (took > 0 && made > 0)
            pace.stepsPerSecond = 1000.0 * static_cast<double>(made) / static_cast<double>(took);
    }
    if (run.status == tracking::RunStatus::Running && pace.stepsPerSecond > 0 && pace.steps > pace.step)
        pace.etaMs = static_cast<std::int64_t>(1000.0 * static_cast<double>(pace.steps - pace.step) /
                                               pace.stepsPerSecond);
    return pace;
}

QString progressText(const RunRecords& records) {
    const Pace pace = paceOf(records);
    if (!records.run || pace.step <= 0) return {};
    QStringList parts;
    if (pace.steps > 0)
        parts << tr("Step %1 of %2 (%3%)")
                     .arg(countText(pace.step), countText(pace.steps))
                     .arg(100 * std::min(pace.step, pace.steps) / pace.steps);
    else
        parts << tr("Step %1").arg(countText(pace.step));
    if (isActive(records.run->status) && pace.stepsPerSecond > 0) parts << speedText(pace.stepsPerSecond);
    if (pace.etaMs) parts << tr("about %1 left").arg(durationText(std::max<std::int64_t>(*pace.etaMs, 1000)));
    if (const auto loss = records.run->metrics.find("loss"); loss != records.run->metrics.end())
        parts << tr("loss %1").arg(metricText(loss->second.value));
    return parts.join(QStringLiteral(" · "));
}

std::int64_t lastSeenMs(const RunRecords& records) {
    if (!records.run) return 0;
    std::int64_t newest = lastSeenMs(*records.run, records.attempts);
    for (const auto& message : records.messages) newest = std::max(newest, message.timeMs);
    return newest;
}

std::int64_t lastSeenMs(const tracking::Run& run, const std::vector<Attempt>& attempts) {
    std::int64_t newest = std::max(newestPointMs(run), run.startMs);
    for (const auto& attempt : attempts) newest = std::max({newest, attempt.startMs, attempt.endMs});
    return newest;
}

bool mayBeStale(const tracking::Run& run, const std::string& connectedTo) {
    const std::string cluster = tagOf(run, tracking::tag::kCluster);
    return isActive(run.status) && !cluster.empty() && cluster != connectedTo;
}

bool isSilent(const RunRecords& records, std::int64_t nowMs) {
    return records.run && records.run->status == tracking::RunStatus::Running &&
           tagOf(*records.run, tracking::tag::kCluster).empty() && nowMs - lastSeenMs(records) > kSilenceMs;
}

std::int64_t knownUntilMs(const RunRecords& records, const std::string& connectedTo, std::int64_t nowMs) {
    const bool old = records.run && mayBeStale(*records.run, connectedTo);
    return old || isSilent(records, nowMs) ? lastSeenMs(records) : nowMs;
}

QString freshnessText(const RunRecords& records, const std::string& connectedTo, std::int64_t nowMs) {
    if (isSilent(records, nowMs)) return tr("no updates since %1").arg(timeText(lastSeenMs(records)));
    if (!records.run || !mayBeStale(*records.run, connectedTo)) return {};
    return tr("as of %1, not connected to %2")
        .arg(timeText(lastSeenMs(records)), sanitized(tagOf(*records.run, tracking::tag::kCluster)));
}

QString exitText(const std::string& exitCode) {
    const auto colon = exitCode.find(':');
    const int code = std::atoi(exitCode.substr(0, colon).c_str());
    int signal = colon == std::string::npos ? 0 : std::atoi(exitCode.substr(colon + 1).c_str());
    if (signal == 0 && code > 128 && code < 160) signal = code - 128;  // as shells and srun say it
    if (exitCode.empty() || (code == 0 && signal == 0)) return {};
    if (signal == 0) return tr("exit code %1").arg(code);
    const char* name = sigabbrev_np(signal);
    return name ? tr("signal %1 (SIG%2)").arg(signal).arg(QLatin1String(name)) : tr("signal %1").arg(signal);
}

std::optional<events::Certificate> certificateOf(const tracking::Run& run) {
    const auto text = tagOf(run, tracking::tag::kCertificateFacts);
    if (text.empty()) return std::nullopt;
    try {
        return events::certificateFromJson(Json::parse(text));
    } catch (const Json::exception&) {
    } catch (const InputError&) {  // anybody may write tags
    }
    return std::nullopt;
}

FactGroup layoutFacts(const RunRecords& records) {
    Facts facts(tr("Layout"));
    if (const auto certificate = certificateOf(*records.run))
        facts.add(tr("Certificate"), sanitized(events::textOf(*certificate)));
    return facts.take();
}

FactGroup identityFacts(const RunRecords& records) {
    const auto& run = *records.run;
    Facts facts(tr("Run"));
    facts.add(tr("Run id"), QString::fromStdString(run.id), true);
    facts.add(tr("Experiment"), sanitized(run.experiment));
    facts.tag(run, tr("Sweep"), tracking::tag::kSweepName);
    facts.tag(run, tr("User"), "mlflow.user");
    facts.tag(run, tr("Commit"), "mlflow.source.git.commit", true);
    facts.tag(run, tr("Branch"), "mlflow.source.git.branch");
    return facts.take();
}

FactGroup timingFacts(const RunRecords& records, std::int64_t nowMs) {
    const auto& run = *records.run;
    const Pace pace = paceOf(records);
    Facts facts(tr("Time"));
    facts.add(tr("Launched"), timeText(records.launchedMs));
    facts.add(tr("Started"),
              run.status == tracking::RunStatus::Scheduled ? QString() : timeText(run.startMs));
    facts.add(tr("Ended"), run.endMs ? timeText(*run.endMs) : QString());
    facts.add(tr("Duration"), durationText(tracking::trainingMs(run, nowMs)));
    facts.explain(wallTimeText(run, nowMs));
    if (pace.step > 0)
        facts.add(tr("Step"), pace.steps > 0 ? tr("%1 of %2").arg(countText(pace.step), countText(pace.steps))
                                             : countText(pace.step));
    if (pace.stepsPerSecond > 0) facts.add(tr("Speed"), speedText(pace.stepsPerSecond));
    if (pace.etaMs)
        facts.add(tr("Time left"),
                  tr("about %1").arg(durationText(std::max<std::int64_t>(*pace.etaMs, 1000))));
    return facts.take();
}

FactGroup machineFacts(const RunRecords& records) {
    const auto& run = *records.run;
    Facts facts(tr("Cluster"));
    facts.tag(run, tr("Cluster"), tracking::tag::kCluster);
    facts.tag(run, tr("Job"), tracking::tag::kJob, true);
    if (const auto state = tagOf(run, tracking::tag::kSlurmState); state == kForgotten && endedByItself(run))
        facts.add(tr("Slurm state"), tr("no longer known to Slurm; the run finished"));
    else
        facts.add(tr("Slurm state"), sanitized(state), true);
    if (!records.attempts.empty()) facts.add(tr("Node"), sanitized(records.attempts.back().node));
    if (records.attempts.size() > 1) facts.add(tr("Attempts"), QString::number(records.attempts.size()));
    facts.path(tr("Folder"), sanitized(tagOf(run, tracking::tag::kFolder)));
    return facts.take();
}

FactGroup predictionFacts(const RunRecords& records) {
    const auto& run = *records.run;
    Facts facts(tr("Predicted at launch"));
    const auto compare = [&](const QString& name, const char* tag, const char* metric, double unit,
                             const auto& textOf) {
        bool isNumber = false;
        const double predicted = QString::fromStdString(tagOf(run, tag)).toDouble(&isNumber);
        if (!isNumber || !(predicted > 0)) return;
        const auto measured = run.metrics.find(metric);
        if (measured == run.metrics.end() || !(measured->second.value > 0))
            return facts.add(name, textOf(predicted));
        const double value = measured->second.value * unit;
        facts.add(name, tr("%1, measured %2 (%3\u00a0×)")
                            .arg(textOf(predicted), textOf(value))
                            .arg(value / predicted, 0, 'f', 2));
    };
    compare(tr("Tokens per second"), tracking::tag::kPredictedTokens, "tokens_per_second", 1,
            [](double tokens) { return countText(std::llround(tokens)); });
    compare(tr("Memory per rank"), tracking::tag::kPredictedBytes, "memory_gib", 1 << 30,
            [](double bytes) { return QString::fromStdString(binarySizeText(bytes)); });
    return facts.take();
}

FactGroup trainerFacts(const RunRecords& records) {
    const auto& run = *records.run;
    Facts facts(tr("Trainer"));
    facts.tag(run, tr("Version"), tracking::tag::kTrainer);
    const std::string_view prefix = tracking::tag::kFact;
    for (const auto& [key, value] : run.tags)
        if (std::string_view(key).starts_with(prefix))
            facts.add(sanitized(key.substr(prefix.size())), factText(value));
    return facts.take();
}

FactGroup sourceFacts(const RunRecords& records) {
    const bool isOwnProgram = !tagOf(*records.run, tracking::tag::kProgram).empty();
    struct Found {
        std::string_view delay;
        std::int64_t bytes = 0;
        QStringList paths;
        bool isRead = false, givesWay = false;
    };
    std::map<std::string_view, Found> all;
    for (const auto& [path, cursor] : records.sources) {
        const auto* source = sources::sourceOf(path);
        const bool isVideo = tracking::isClipPath(path);
        if (!source && !isVideo) continue;
        Found& found = all[isVideo ? "Videos" : source->name()];
        if (!isVideo) found.delay = source->delay(), found.givesWay = source->givesWay();
        if (!sources::isMlflowDatabase(path)) found.bytes += cursor.offset;
        found.paths << sanitized(path);
        found.isRead = found.isRead || !cursor.stopped;
    }
    Facts facts(tr("Sources"));
    if (const auto samples = tracking::sampleCountsOf(*records.run); samples != tracking::SampleCounts{}) {
        QStringList parts;
        if (samples.sampled > 0) parts << tr("%1 sampled").arg(samples.sampled);
        if (samples.waiting > 0) parts << tr("%1 waiting").arg(samples.waiting);
        if (samples.failed > 0) parts << tr("%1 failed").arg(samples.failed);
        facts.add(tr("Checkpoints"), parts.join(QStringLiteral(", ")));
    }
    if (isOwnProgram && records.tellsEvents)
        facts.add(QStringLiteral("dailies.py"), sanitized(std::string(sources::dailiesEvents().delay())));
    for (const auto& [name, found] : all) {
        const bool isLeftOut = found.givesWay && !found.isRead;
        const auto files = found.paths.size() == 1 ? tr("1 file") : tr("%1 files").arg(found.paths.size());
        facts.add(
            sanitized(std::string(name)),
            isLeftOut
                ? tr("%1, not read: another source logs its metrics.").arg(files)
                : tr("%1, %2. %3")
                      .arg(files, QString::fromStdString(sizeText(static_cast<std::uint64_t>(found.bytes))),
                           sanitized(std::string(found.delay)))
                      .trimmed());
        constexpr int kMostPaths = 8;
        QStringList paths = found.paths.mid(0, kMostPaths);
        if (found.paths.size() > kMostPaths) paths << tr("and %1 more").arg(found.paths.size() - kMostPaths);
        facts.explain(paths.join(QLatin1Char('\n')));
    }
    if (isOwnProgram && all.empty() && !records.tellsEvents &&
        records.run->status == tracking::RunStatus::Running) {
        QStringList names;
        for (const auto* source : sources::sources()) names << sanitized(std::string(source->name()));
        facts.add(tr("None yet"),
                  tr("Looked for in the run's folder: %1.").arg(names.join(QStringLiteral(", "))));
    }
    return facts.take();
}

FactGroup metricFacts(const tracking::Run& run, std::size_t most) {
    std::vector<std::string> keys;
    for (const auto& [key, point] : run.metrics) keys.push_back(key);
    keys = metricOrder(std::move(keys));
    std::int64_t newest = 0;
    for (const auto& [key, point] : run.metrics) newest = std::max(newest, point.step);
    Facts facts(tr("Metrics at step %1").arg(countText(newest)));
    for (std::size_t i = 0; i < std::min(keys.size(), most); ++i) {
        const auto& point = run.metrics.find(keys[i])->second;
        const auto value = metricText(point.value);
        facts.add(sanitized(keys[i]),
                  point.step == newest ? value : tr("%1  at step %2").arg(value, countText(point.step)),
                  true);
    }
    if (keys.size() > most) facts.add(tr("…"), tr("and %1 more").arg(keys.size() - most));
    return facts.take();
}

FactGroup paramFacts(const tracking::Run& run, const std::vector<std::string>& keys) {
    Facts facts(tr("Varied params"));
    for (const auto& key : keys)
        if (const auto found = run.params.find(key); found != run.params.end())
            facts.add(sanitized(key), sanitized(found->second), true);
    return facts.take();
}

std::vector<FactGroup> attemptFacts(const RunRecords& records, std::int64_t nowMs) {
    std::vector<FactGroup> groups;
    for (std::size_t i = records.attempts.size(); i-- > 0;) {
        const Attempt& attempt = records.attempts[i];
        const bool forgotten = attempt.state == kForgotten && i + 1 == records.attempts.size() &&
                               records.run && endedByItself(*records.run);
        Facts facts(
            tr("Attempt %1 · %2").arg(i + 1).arg(forgotten ? tr("Finished") : stateWord(attempt.state)));
        remote::slurm::JobStatus status;
        status.state = attempt.state;
        status.reason = attempt.reason;
        status.exitCode = attempt.exitCode;
        status.node = attempt.node;
        facts.add(tr("What happened"), forgotten ? tr("The run finished; Slurm no longer knows its job.")
                                       : attempt.state.empty() ? QString()
                                                               : sanitized(explain(status)));
        facts.add(tr("Slurm's reason"), sanitized(attempt.reason));
        facts.add(tr("Exit"), exitText(attempt.exitCode));
        facts.add(tr("Job"),
                  attempt.restarts > 0
                      ? tr("%1, restart %2").arg(sanitized(attempt.job)).arg(attempt.restarts)
                      : sanitized(attempt.job),
                  true);
        facts.add(tr("Node"), sanitized(attempt.node));
        facts.add(tr("Started"), timeText(attempt.startMs));
        facts.add(tr("Ended"), timeText(attempt.endMs));
        if (attempt.startMs > 0)
            facts.add(tr("Duration"),
                      durationText((attempt.endMs > 0 ? attempt.endMs : nowMs) - attempt.startMs));
        if (const auto from = resumedFrom(records, i))
            facts.add(tr("Resumed from"), *from > 0 ? tr("the checkpoint at step %1").arg(countText(*from))
                                                    : tr("the beginning"));
        groups.push_back(facts.take());
    }
    return groups;
}

}  // namespace dailies::ui

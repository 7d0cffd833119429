#include "ui/widgets/run_text.h"

#include "core/base/text.h"
#include "core/tracking/run_time.h"
#include "ui/theme/theme.h"

#include <QDateTime>
#include <QObject>

#include <algorithm>
#include <cmath>
#include <map>

namespace dailies::ui {

namespace {

using tracking::RunStatus;

/// Slurm's words for jobs that ended, as people say them. Those that are not here are shown as Slurm writes
/// them.
const std::map<std::string, QString>& endings() {
    static const std::map<std::string, QString> words{{"TIMEOUT", QStringLiteral("Timed out")},
                                                      {"OUT_OF_MEMORY", QStringLiteral("Out of memory")},
                                                      {"NODE_FAIL", QStringLiteral("Node failed")},
                                                      {"PREEMPTED", QStringLiteral("Preempted")},
                                                      {"CANCELLED", QStringLiteral("Cancelled")},
                                                      {"BOOT_FAIL", QStringLiteral("Node failed to boot")},
                                                      {"DEADLINE", QStringLiteral("Missed its deadline")},
                                                      {"LOST", QStringLiteral("Lost")}};
    return words;
}

QString progressText(const tracking::Run& run) {
    const auto steps = run.params.find("steps");
    const double total = steps == run.params.end() ? 0 : std::atof(steps->second.c_str());
    if (total <= 0) {
        return QStringLiteral("Running");
    }
    const int percent =
        static_cast<int>(std::min(99.0, 100.0 * static_cast<double>(latestStep(run)) / total));
    return QStringLiteral("Running %1 %").arg(percent);
}

}  // namespace

QString statusText(const tracking::Run& run) {
    const std::string slurm = tagOf(run, tracking::tag::kSlurmState);
    switch (run.status) {
        case RunStatus::Scheduled:
            return slurm.empty() ? QStringLiteral("Submitting") : QStringLiteral("Waiting");
        case RunStatus::Running:
            return progressText(run);
        case RunStatus::Finished:
            return QStringLiteral("Finished");
        case RunStatus::Failed:
        case RunStatus::Killed:
            break;
    }
    if (const auto word = endings().find(slurm); word != endings().end()) {
        return word->second;
    }
    return run.status == RunStatus::Killed ? QStringLiteral("Cancelled") : QStringLiteral("Failed");
}

QString reasonText(const tracking::Run& run) {
    return QString::fromStdString(sanitizedText(tagOf(run, tracking::tag::kReason)));
}

QColor statusColor(const tracking::Run& run) {
    switch (run.status) {
        case RunStatus::Scheduled:
            return colors().warning;
        case RunStatus::Running:
            return colors().info;
        case RunStatus::Finished:
            return colors().success;
        case RunStatus::Failed:
            return colors().danger;
        case RunStatus::Killed:
            return colors().textMuted;
    }
    return colors().textMuted;
}

QString statusIcon(const tracking::Run& run) {
    switch (run.status) {
        case RunStatus::Scheduled:
            return QStringLiteral("clock");
        case RunStatus::Running:
            return QStringLiteral("runs");
        case RunStatus::Finished:
            return QStringLiteral("done");
        case RunStatus::Failed:
            return QStringLiteral("error");
        case RunStatus::Killed:
            return QStringLiteral("stop");
    }
    return QStringLiteral("clock");
}

QString metricText(double value) {
    if (std::isnan(value)) {
        return QStringLiteral("NaN");
    }
    if (std::isinf(value)) {
        return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    }
    const bool isWhole = std::abs(value) < 1e7 && value == std::trunc(value);
    return isWhole ? QString::number(static_cast<qint64>(value)) : QString::number(value, 'g', 4);
}

QString durationText(std::int64_t milliseconds) {
    return QString::fromStdString(dailies::durationText(milliseconds));
}

QString wallTimeText(const tracking::Run& run, std::int64_t nowMs) {
    const std::int64_t wall = tracking::wallMs(run, nowMs);
    if (wall - tracking::trainingMs(run, nowMs) < 1000) return {};
    return QObject::tr("Training time. Wall time: %1").arg(durationText(wall));
}

QString timeText(std::int64_t unixMs) {
    if (unixMs <= 0) {
        return {};
    }
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(unixMs);
    const QDate today = QDate::currentDate();
    if (time.date() == today) {
        return time.toString(QStringLiteral("HH:mm"));
    }
    return time.toString(time.date().year() == today.year() ? QStringLiteral("d MMM HH:mm")
                                                            : QStringLiteral("d MMM yyyy HH:mm"));
}

std::int64_t latestStep(const tracking::Run& run) {
    std::int64_t step = 0;
    for (const auto& [key, point] : run.metrics) {
        step = std::max(step, point.step);
    }
    return step;
}

}  // namespace dailies::ui

#pragma once

#include "core/tracking/run_tags.h"
#include "core/tracking/store.h"
#include "ui/theme/tokens.h"

#include <QColor>
#include <QString>

namespace dailies::ui {

/// What the table and the detail panel say of a run, in a person's words. Pure functions; any thread except
/// `statusColor`.

/// "Running 45 %", "Waiting", "Timed out", "Finished", …: Slurm's truth where it is known, else MLflow's
/// status.
QString statusText(const tracking::Run& run);
/// Why it waits or why it ended; empty when there is nothing to say.
QString reasonText(const tracking::Run& run);
QColor statusColor(const tracking::Run& run);
/// The icon (resources/icons) that stands for the status, so that colour is never the only sign.
QString statusIcon(const tracking::Run& run);

/// Four significant digits, "0.1234", "12.35", "1.2e-05", but whole numbers as they are up to seven:
/// "640000"; "NaN", "∞".
QString metricText(double value);
/// "42 s", "3 min 20 s", "2 h 05 min", "3 d 4 h"; empty for 0.
QString durationText(std::int64_t milliseconds);
/// "Training time. Wall time: 3 d 4 h", for the tooltip of a duration; empty where the two are the same.
QString wallTimeText(const tracking::Run& run, std::int64_t nowMs);
/// "14:32" today, "21 Nov 14:32" this year, else with the year.
QString timeText(std::int64_t unixMs);

/// The highest step of any metric; 0 before the first.
std::int64_t latestStep(const tracking::Run& run);

}  // namespace dailies::ui

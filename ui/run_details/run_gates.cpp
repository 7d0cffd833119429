#include "ui/run_details/run_gates.h"

#include "core/config/schema.h"
#include "core/tracking/imported_run.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/training_run.h"

#include <QObject>

#include <algorithm>

namespace dailies::ui {

namespace {

bool wasLaunched(const tracking::Run& run) {
    return run.tags.contains(tracking::tag::kSweep);
}

/// Whether its params are a configuration of our trainer. Those that another program recorded are not, even
/// where a name happens to be the same (steps, seed).
bool hasOwnConfig(const tracking::Run& run) {
    if (wasLaunched(run)) return true;
    return !tracking::isImported(run) &&
           std::any_of(run.params.begin(), run.params.end(),
                       [](const auto& param) { return config::findField(param.first) != nullptr; });
}

}  // namespace

QString whyNotForked(const tracking::Run& run) {
    if (!tracking::isTrainingRun(run)) return QObject::tr("Only runs that train can be forked");
    if (hasOwnConfig(run)) return {};
    return tracking::isImported(run)
               ? QObject::tr("Imported runs cannot be forked: only those of Dailies' own trainer can")
               : QObject::tr("Only runs of Dailies' own trainer can be forked");
}

QString whyNotExtended(const tracking::Run& run) {
    if (!tracking::isTrainingRun(run)) return QObject::tr("Only runs that train can be extended");
    if (!wasLaunched(run)) return QObject::tr("Only runs that Dailies launched can be extended");
    if (run.tags.contains(tracking::tag::kProgram))
        return QObject::tr("How many steps it trains is up to its program");
    return tracking::isActive(run.status) ? QObject::tr("The run has not ended yet") : QString();
}

QString whyNoBatch(const tracking::Run& run) {
    if (!tracking::isTrainingRun(run)) return QObject::tr("Only runs that train have batches");
    if (!wasLaunched(run)) return QObject::tr("Only runs that Dailies launched can show their batches");
    return run.tags.contains(tracking::tag::kProgram)
               ? QObject::tr("Only runs of Dailies' own trainer can show their batches")
               : QString();
}

QString whyNotSampled(const tracking::Run& run) {
    if (run.tags.contains(tracking::tag::kBatchOf))
        return QObject::tr("Its clips are training data: sample the run that trains on them");
    return tagOf(run, tracking::tag::kCluster).empty()
               ? QObject::tr("Only runs with checkpoints on a cluster can be sampled")
               : QString();
}

}  // namespace dailies::ui

#include "ui/review/clip_actions.h"

#include "core/tracking/training_run.h"
#include "ui/run_details/run_gates.h"
#include "ui/run_details/step_dialogs.h"
#include "ui/theme/icons.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QMenu>
#include <QMetaMethod>

namespace dailies::ui {

QMenu* ClipActions::makeMenu(const tracking::Run& run, std::int64_t step, const std::string& prompt,
                             std::int64_t seed, QWidget* parent) {
    auto* menu = new QMenu(parent);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Run actions"));
    menu->setToolTipsVisible(true);
    const auto add = [&](const QMetaMethod& asked, const char* iconName, const QString& text,
                         const QString& named, const QString& words, auto call, const QString& whyNot = {}) {
        if (!isSignalConnected(asked)) return;
        auto* action = menu->addAction(icon(QLatin1String(iconName)), text, this, call);
        setPaletteName(*action, named.arg(targetName(sanitized(run.name))));
        setPaletteWords(*action, words);
        setAvailable(*action, whyNot);
        if (!whyNot.isEmpty()) action->setToolTip(whyNot);
    };
    menu->addAction(sanitized(run.name).replace(QLatin1Char('&'), QStringLiteral("&&")))->setEnabled(false);
    const bool trains = tracking::isTrainingRun(run);
    add(QMetaMethod::fromSignal(&ClipActions::openRunRequested), "open", tr("Open run"), tr("Open %1"), {},
        [this, id = run.id] { emit openRunRequested(id); });
    if (trains)
        add(
            QMetaMethod::fromSignal(&ClipActions::forkRequested), "branch", tr("Fork with changed params…"),
            tr("Fork %1…"), tr("clone duplicate"), [this, id = run.id] { emit forkRequested(id); },
            whyNotForked(run));
    add(
        QMetaMethod::fromSignal(&ClipActions::sampleRequested), "image", tr("Sample again…"),
        tr("Sample %1 again…"), {}, [=, this, id = run.id] { emit sampleRequested(id, step, prompt, seed); },
        whyNotSampled(run));
    add(QMetaMethod::fromSignal(&ClipActions::exportRequested), "folder", tr("Export its checkpoint…"),
        tr("Export the checkpoint of %1…"), {}, [=, this, id = run.id] { emit exportRequested(id, step); });
    if (trains)
        add(QMetaMethod::fromSignal(&ClipActions::checkpointsRequested), "save",
            tr("Copy its checkpoints here"), tr("Copy the checkpoints of %1 here"), {},
            [this, id = run.id] { emit checkpointsRequested(id); });
    menu->addSeparator();
    if (tracking::isActive(run.status))
        add(QMetaMethod::fromSignal(&ClipActions::cancelRequested), "stop", tr("Cancel the run"),
            tr("Cancel %1"), tr("stop kill"), [this, id = run.id] { emit cancelRequested(id); });
    else if (trains)
        add(
            QMetaMethod::fromSignal(&ClipActions::extendRequested), "play", tr("Extend…"), tr("Extend %1…"),
            tr("train longer continue resume"),
            [this, run, parent] {
                openExtendDialog({run}, parent,
                                 [this, id = run.id](qint64 steps) { emit extendRequested(id, steps); });
            },
            whyNotExtended(run));
    add(QMetaMethod::fromSignal(&ClipActions::archiveRequested), "archive", tr("Archive run"),
        tr("Archive %1"), tr("delete remove"), [this, id = run.id] { emit archiveRequested(id); });
    return menu;
}

}  // namespace dailies::ui

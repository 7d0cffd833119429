#include "ui/review/clip_actions.h"

#include "core/tracking/sampled_run.h"
#include "ui/runs/run_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QInputDialog>
#include <QMenu>
#include <QMetaMethod>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace dailies::ui {

namespace {

std::int64_t plannedSteps(const tracking::Run& run) {
    const auto steps = run.params.find("steps");
    return steps == run.params.end() ? latestStep(run) : std::atoll(steps->second.c_str());
}

}  // namespace

QMenu* ClipActions::makeMenu(const tracking::Run& run, std::int64_t step, const std::string& prompt,
                             std::int64_t seed, QWidget* parent) {
    auto* menu = new QMenu(parent);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Run actions"));
    const auto add = [&](const QMetaMethod& asked, const char* iconName, const QString& text, auto call) {
        if (isSignalConnected(asked)) menu->addAction(icon(QLatin1String(iconName)), text, this, call);
    };
    menu->addAction(inert(run.name).replace(QLatin1Char('&'), QStringLiteral("&&")))->setEnabled(false);
    const bool trains = !run.tags.contains(tracking::tag::kSampledRun);
    add(QMetaMethod::fromSignal(&ClipActions::runOpened), "open", tr("Open the run"),
        [this, id = run.id] { emit runOpened(id); });
    if (trains)
        add(QMetaMethod::fromSignal(&ClipActions::forkRequested), "branch", tr("Fork with changed params…"),
            [this, id = run.id] { emit forkRequested(id); });
    add(QMetaMethod::fromSignal(&ClipActions::sampleRequested), "image", tr("Sample again…"),
        [=, this, id = run.id] { emit sampleRequested(id, step, prompt, seed); });
    add(QMetaMethod::fromSignal(&ClipActions::exportRequested), "folder", tr("Export its checkpoint…"),
        [=, this, id = run.id] { emit exportRequested(id, step); });
    if (trains)
        add(QMetaMethod::fromSignal(&ClipActions::checkpointsRequested), "save",
            tr("Copy its checkpoints here"), [this, id = run.id] { emit checkpointsRequested(id); });
    menu->addSeparator();
    if (tracking::isActive(run.status))
        add(QMetaMethod::fromSignal(&ClipActions::cancelRequested), "stop", tr("Cancel the run"),
            [this, id = run.id] { emit cancelRequested(id); });
    else if (trains)
        add(QMetaMethod::fromSignal(&ClipActions::extendRequested), "play", tr("Train it longer…"),
            [this, run, parent] { askHowFar(run, parent); });
    return menu;
}

void ClipActions::askHowFar(const tracking::Run& run, QWidget* parent) {
    const auto planned =
        static_cast<int>(std::clamp<std::int64_t>(plannedSteps(run), 1, std::numeric_limits<int>::max() / 2));
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInputMode(QInputDialog::IntInput);
    dialog->setWindowTitle(tr("Train %1 longer").arg(inert(run.name)));
    dialog->setLabelText(
        tr("It goes on from its newest checkpoint, up to this step (it had %1):").arg(planned));
    dialog->setIntRange(planned + 1, std::numeric_limits<int>::max());
    dialog->setIntValue(2 * planned);
    dialog->setIntStep(std::max(planned / 10, 1));
    dialog->setOkButtonText(tr("Submit"));
    connect(dialog, &QInputDialog::intValueSelected, this,
            [this, id = run.id](int steps) { emit extendRequested(id, steps); });
    dialog->open();
}

}  // namespace dailies::ui

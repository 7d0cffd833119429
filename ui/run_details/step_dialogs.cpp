#include "ui/run_details/step_dialogs.h"

#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QInputDialog>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace dailies::ui {

namespace {

std::int64_t currentEnd(const tracking::Run& run) {
    const auto steps = run.params.find("steps");
    return steps == run.params.end() ? latestStep(run) : std::atoll(steps->second.c_str());
}

int asInt(std::int64_t step, int most = std::numeric_limits<int>::max()) {
    return static_cast<int>(std::clamp<std::int64_t>(step, 1, most));
}

/// What is asked is the caller's to add.
QInputDialog* makeStepDialog(QWidget* parent, const QString& verb, std::function<void(qint64)> chosen) {
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInputMode(QInputDialog::IntInput);
    dialog->setOkButtonText(verb);
    QObject::connect(dialog, &QInputDialog::intValueSelected, dialog,
                     [chosen = std::move(chosen)](int step) { chosen(step); });
    return dialog;
}

}  // namespace

void openExtendDialog(const std::vector<tracking::Run>& runs, QWidget* parent,
                      std::function<void(qint64 steps)> chosen) {
    const auto tr = [](const char* text) { return QObject::tr(text); };
    std::int64_t furthest = 1;
    for (const auto& run : runs) furthest = std::max(furthest, currentEnd(run));
    const int planned = asInt(furthest, std::numeric_limits<int>::max() / 2);
    auto* dialog = makeStepDialog(parent, tr("Extend"), std::move(chosen));
    const bool one = runs.size() == 1;
    dialog->setWindowTitle(one ? tr("Extend %1").arg(sanitized(runs.front().name))
                               : tr("Extend %1 runs").arg(runs.size()));
    dialog->setLabelText(
        (one ? tr("Resume from the latest checkpoint and train to step (currently %1):")
             : tr("They go on from their newest checkpoints, up to this step (they had at most %1):"))
            .arg(planned));
    dialog->setIntRange(planned + 1, std::numeric_limits<int>::max());
    dialog->setIntValue(2 * planned);
    dialog->setIntStep(std::max(planned / 10, 1));
    dialog->open();
}

void openBatchDialog(const tracking::Run& run, QWidget* parent, std::function<void(qint64 step)> chosen) {
    const auto tr = [](const char* text) { return QObject::tr(text); };
    const int last = asInt(currentEnd(run));
    auto* dialog = makeStepDialog(parent, tr("Show"), std::move(chosen));
    dialog->setWindowTitle(tr("Show a batch of %1").arg(sanitized(run.name)));
    dialog->setLabelText(tr("A job decodes what the model sees of this step (1 to %1),\n"
                            "whether or not it has been trained:")
                             .arg(last));
    dialog->setIntRange(1, last);
    dialog->setIntValue(asInt(latestStep(run), last));
    dialog->open();
}

}  // namespace dailies::ui

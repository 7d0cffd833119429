#include "ui/run_details/extend_dialog.h"

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

}  // namespace

void openExtendDialog(const std::vector<tracking::Run>& runs, QWidget* parent,
                      std::function<void(qint64 steps)> chosen) {
    const auto tr = [](const char* text) { return QObject::tr(text); };
    std::int64_t furthest = 1;
    for (const auto& run : runs) furthest = std::max(furthest, currentEnd(run));
    const int planned =
        static_cast<int>(std::min<std::int64_t>(furthest, std::numeric_limits<int>::max() / 2));
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInputMode(QInputDialog::IntInput);
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
    dialog->setOkButtonText(tr("Extend"));
    QObject::connect(dialog, &QInputDialog::intValueSelected, dialog,
                     [chosen = std::move(chosen)](int steps) { chosen(steps); });
    dialog->open();
}

}  // namespace dailies::ui

#include "ui/run_details/batch_dialog.h"

#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QInputDialog>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace dailies::ui {

void openBatchDialog(const tracking::Run& run, QWidget* parent, std::function<void(qint64 step)> chosen) {
    const auto tr = [](const char* text) { return QObject::tr(text); };
    const auto steps = run.params.find("steps");
    const auto last = steps == run.params.end() ? latestStep(run) : std::atoll(steps->second.c_str());
    const int most = static_cast<int>(std::clamp<std::int64_t>(last, 1, std::numeric_limits<int>::max()));
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInputMode(QInputDialog::IntInput);
    dialog->setWindowTitle(tr("Show a batch of %1").arg(sanitized(run.name)));
    dialog->setLabelText(tr("A job decodes what the model sees of this step (1 to %1),\n"
                            "whether or not it has been trained:")
                             .arg(most));
    dialog->setIntRange(1, most);
    dialog->setIntValue(static_cast<int>(std::clamp<std::int64_t>(latestStep(run), 1, most)));
    dialog->setOkButtonText(tr("Show"));
    QObject::connect(dialog, &QInputDialog::intValueSelected, dialog,
                     [chosen = std::move(chosen)](int step) { chosen(step); });
    dialog->open();
}

}  // namespace dailies::ui

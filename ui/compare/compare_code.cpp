// The code of the runs that are compared.
#include "remote/program/code_difference.h"
#include "ui/compare/code_difference_dialog.h"
#include "ui/compare/compare_page.h"
#include "ui/link/cluster_worker.h"
#include "ui/widgets/widgets.h"

#include <QPlainTextEdit>

#include <algorithm>

namespace dailies::ui {

const tracking::Run* ComparePage::runWithOtherCode(QString* whyNot) const {
    const auto& runs = m_data.runs;
    const auto none = [whyNot](const QString& why) -> const tracking::Run* {
        if (whyNot) *whyNot = why;
        return nullptr;
    };
    if (runs.size() < 2) return none(tr("Choose at least 2 runs first"));
    const tracking::Run* run = runs[static_cast<std::size_t>(std::max(m_current, 0))].get();
    if (run->id == m_reference && runs.size() == 2)
        run = std::ranges::find_if(runs, [&](const auto& each) { return each->id != m_reference; })->get();
    if (run->id == m_reference) return none(tr("Go to another run than the reference first (← →)"));
    const auto reference =
        std::ranges::find_if(runs, [&](const auto& each) { return each->id == m_reference; });
    for (const tracking::Run* one : {reference->get(), run})
        if (!remote::hasCode(*one))
            return none(
                tr("The code of %1 is not known: it is for programs of your own").arg(sanitized(one->name)));
    return run;
}

void ComparePage::compareCode() {
    QString whyNot;
    if (const auto* run = runWithOtherCode(&whyNot))
        m_worker.compareCode(m_reference, run->id);
    else
        emit notification(whyNot);
}

void ComparePage::showCode(const std::string& referenceId, const std::string& runId,
                           const std::string& difference) {
    const auto nameOf = [this](const std::string& id) {
        const auto run = std::ranges::find_if(m_data.runs, [&](const auto& each) { return each->id == id; });
        return run == m_data.runs.end() ? QString::fromStdString(id) : sanitized((*run)->name);
    };
    auto* dialog =
        new CodeDifferenceDialog(nameOf(referenceId), nameOf(runId), sanitized(difference), window());
    connect(dialog, &CodeDifferenceDialog::copied, this,
            [this] { emit notification(tr("Copied the difference")); });
    dialog->show();
}

}  // namespace dailies::ui

#include "ui/cluster/job_dialog.h"

#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr int kPlanDelayMs = 150;
}

JobDialog::JobDialog(ClusterWorker& worker, const QString& verb, const QString& elsewhere, QWidget* parent)
    : QDialog(parent),
      m_worker(worker),
      m_verb(verb),
      m_elsewhere(elsewhere),
      m_target(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_send(makeButton(verb, ButtonKind::Primary, QStringLiteral("launch"))) {
    setAttribute(Qt::WA_DeleteOnClose);
    m_later.setSingleShot(true);
    m_later.setInterval(kPlanDelayMs);
    connect(&m_later, &QTimer::timeout, this, &JobDialog::plan);
    connect(&m_worker, &ClusterWorker::stateChanged, this, &JobDialog::schedulePlan);
    connect(m_send, &QPushButton::clicked, this, &JobDialog::send);
    refreshFooter();
}

QWidget* JobDialog::makeFooter() {
    auto* footer = new QWidget;
    auto* row = makeRow(space::k8, {space::k24, space::k12, space::k24, space::k12});
    auto* cancel = makeButton(tr("Cancel"));
    m_target->setWordWrap(true);
    row->addWidget(m_target, 1);
    row->addWidget(cancel);
    row->addWidget(m_send);
    m_send->setToolTip(tr("Send the jobs to the cluster (Ctrl+Enter)"));
    footer->setLayout(row);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    return footer;
}

QString JobDialog::inJobs(std::int64_t clips, std::size_t jobs, int atOnce) {
    QString text = clips == 1 ? tr("1 clip") : tr("%1 clips").arg(clips);
    text += jobs == 1 ? tr(" in 1 job") : tr(" in %1 jobs").arg(jobs);
    if (jobs > 1)
        text += tr(", %1 at once").arg(std::min<std::size_t>(jobs, static_cast<std::size_t>(atOnce)));
    return text;
}

void JobDialog::schedulePlan() {
    if (m_loaded) m_later.start();
    refreshFooter();
}

void JobDialog::setValid(bool valid) {
    m_valid = valid;
    refreshFooter();
}

bool JobDialog::isConnected() const {
    return m_worker.info() && (m_cluster.empty() || m_worker.info()->profile.name == m_cluster);
}

void JobDialog::refreshFooter() {
    // Runs without clips, or of another program, name no cluster.
    if (isConnected())
        m_target->setText(tr("on %1").arg(sanitized(m_worker.info()->profile.name)));
    else
        m_target->setText(m_cluster.empty() ? tr("No cluster is connected.")
                                            : m_elsewhere.arg(sanitized(m_cluster)));
    m_target->setVisible(m_loaded);
    m_send->setText(isConnected() ? m_verb : tr("Connect…"));
    m_send->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return));  // a new text takes the old one away
    m_send->setEnabled(!isConnected() || (m_valid && !m_worker.busy()));
}

void JobDialog::keyPressEvent(QKeyEvent* event) {
    if (!pressFocusedButton(*this, *event)) QDialog::keyPressEvent(event);
}

void JobDialog::send() {
    if (!isConnected()) {
        emit connectRequested();
        return;
    }
    submit();
    accept();
}

}  // namespace dailies::ui

#include "ui/run_details/log_panel.h"

#include "core/base/error.h"
#include "core/tracking/artifact_root.h"
#include "remote/follow/log_mirror.h"
#include "ui/link/cluster_worker.h"
#include "ui/run_details/log_view.h"
#include "ui/theme/icons.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QSignalBlocker>
#include <QToolButton>

namespace dailies::ui {

namespace {

constexpr int kFetchEveryMs = 2000;
constexpr int kTypingMs = 150;  ///< a search begins when typing pauses

QToolButton* makeToggle(const QString& text, const QString& tip, bool on) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setCheckable(true);
    button->setChecked(on);
    button->setToolTip(tip);
    button->setAccessibleName(text);
    button->setFixedHeight(kControlHeight);
    return button;
}

}  // namespace

LogPanel::LogPanel(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_worker(worker),
      m_progress(new ElidedLabel(TextStyle::Body, TextTone::Muted)),
      m_attempts(new QComboBox),
      m_search(new QLineEdit),
      m_matches(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_failure(makeIconButton(QStringLiteral("warning"), tr("Next failure in the log (E)"))),
      m_wrap(makeToggle(tr("Wrap"), tr("Wrap long lines"), false)),
      m_follow(makeToggle(tr("Follow"), tr("Keep the newest line in view (End)"), true)),
      m_status(new ElidedLabel(TextStyle::Caption, TextTone::Muted)),
      m_view(new LogView) {
    auto* column = makeColumn(0);
    column->addWidget(makeBar());
    m_progress->setContentsMargins(space::k12, 0, space::k12, space::k8);
    m_progress->hide();
    column->addWidget(m_progress);
    column->addWidget(m_view, 1);
    m_status->setContentsMargins(space::k12, space::k4, space::k12, space::k4);
    column->addWidget(makeLine());
    column->addWidget(m_status);
    setLayout(column);

    connect(m_view, &LogView::changed, this, &LogPanel::showCounts);
    connect(m_view, &LogView::failed, this, &LogPanel::failed);
    connect(m_attempts, &QComboBox::activated, this, &LogPanel::openChosen);
    connect(m_wrap, &QToolButton::toggled, m_view, &LogView::setWrapping);
    connect(m_follow, &QToolButton::toggled, m_view, &LogView::setFollowing);
    connect(m_failure, &QToolButton::clicked, this, [this] { m_view->goToFailure(1); });
    connect(&m_worker, &ClusterWorker::logMirrored, this,
            [this](const std::string& runId, const std::string& job, const std::string& file, bool more) {
                if (runId != m_runId || job != chosenJob()) return;
                m_asked = false;
                m_note.clear();
                m_whole = !m_active && !more;
                m_view->setFile(file);
                showCounts();
                if (more) fetch();
            });
    connect(&m_worker, &ClusterWorker::logUnavailable, this,
            [this](const std::string& runId, const QString& why) {
                if (runId != m_runId) return;
                m_asked = false;
                m_note = why;
                showCounts();
            });
    connect(&m_worker, &ClusterWorker::stateChanged, this, [this] {
        m_asked = false;
        fetch();
    });
    m_timer.setInterval(kFetchEveryMs);
    connect(&m_timer, &QTimer::timeout, this, &LogPanel::fetch);
    m_timer.start();
}

QWidget* LogPanel::makeBar() {
    auto* bar = new QWidget;
    auto* row = makeRow(space::k4, {space::k12, space::k8, space::k12, space::k8});
    m_attempts->setAccessibleName(tr("Attempt"));
    m_attempts->setToolTip(tr("Attempt: each Slurm job of the run has its own log"));
    m_attempts->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(m_attempts);
    m_search->setPlaceholderText(tr("Find in the log"));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(tr("Find in the log"));
    m_search->setToolTip(tr("Ctrl+F; Enter and Shift+Enter go to the next and the previous match"));
    m_search->setMinimumWidth(100);
    m_search->setMaximumWidth(280);
    m_search->installEventFilter(this);
    row->addWidget(m_search, 1);
    row->addWidget(m_matches);
    const auto go = [&](const char* iconName, const QString& name, int direction) {
        auto* button = makeIconButton(QLatin1String(iconName), name);
        connect(button, &QToolButton::clicked, this, [this, direction] { m_view->goToMatch(direction); });
        row->addWidget(button);
    };
    go("chevron-up", tr("Previous match (Shift+N)"), -1);
    go("chevron-down", tr("Next match (N)"), 1);
    row->addWidget(m_failure);
    row->addStretch();
    row->addWidget(m_wrap);
    row->addWidget(m_follow);
    bar->setLayout(row);

    auto* typing = new QTimer(this);
    typing->setSingleShot(true);
    typing->setInterval(kTypingMs);
    connect(m_search, &QLineEdit::textChanged, typing, qOverload<>(&QTimer::start));
    connect(typing, &QTimer::timeout, this, [this] { m_view->search(m_search->text()); });
    return bar;
}

std::string LogPanel::chosenJob() const {
    return m_attempts->currentData().toString().toStdString();
}

void LogPanel::setRun(const tracking::Run& run, const std::vector<tracking::Attempt>& attempts) {
    const bool other = run.id != m_runId;
    m_runId = run.id;
    m_active = isActive(run.status);
    if (m_active) m_whole = false;

    // Restarts of one job write one log.
    std::vector<std::string> jobs;
    for (const auto& attempt : attempts)
        if (jobs.empty() || jobs.back() != attempt.job) jobs.push_back(attempt.job);
    if (const auto job = tagOf(run, tracking::tag::kJob); jobs.empty() && !job.empty()) jobs.push_back(job);
    const std::string before = other ? std::string() : chosenJob();
    const bool atNewest = other || m_attempts->currentIndex() == m_attempts->count() - 1;
    const QSignalBlocker blocker(m_attempts);
    m_attempts->clear();
    for (std::size_t i = 0; i < jobs.size(); ++i)
        m_attempts->addItem(jobs.size() == 1 ? tr("Job %1").arg(sanitized(jobs[i]))
                                             : tr("Attempt %1, job %2").arg(i + 1).arg(sanitized(jobs[i])),
                            QString::fromStdString(jobs[i]));
    const int stay = m_attempts->findData(QString::fromStdString(before));
    m_attempts->setCurrentIndex(atNewest || stay < 0 ? m_attempts->count() - 1 : stay);
    m_attempts->setVisible(!jobs.empty());
    if (other || chosenJob() != before) openChosen();
}

void LogPanel::setProgress(const QString& text) {
    static_cast<ElidedLabel*>(m_progress)->setFullText(text);
    m_progress->setVisible(!text.isEmpty());
}

void LogPanel::openChosen() {
    m_asked = m_whole = false;
    m_note.clear();
    if (!chosenJob().empty()) {
        try {
            m_view->setFile(remote::mirroredLog(tracking::artifactRoot(m_storeFile), m_runId, chosenJob()));
        } catch (const Error& error) {
            m_note = sanitized(error.full());
        }
    }
    fetch();
    showCounts();
}

void LogPanel::fetch() {
    if (!isVisible() || m_asked || m_whole || m_runId.empty()) return;
    if (chosenJob().empty()) {
        m_note = tr("No job of this run has started yet.");
        return showCounts();
    }
    m_asked = true;
    m_worker.mirrorLog(m_runId, chosenJob());
}

void LogPanel::showCounts() {
    const QSignalBlocker blocker(m_follow);
    m_follow->setChecked(m_view->isFollowing());
    m_matches->setText(m_search->text().isEmpty() ? QString()
                       : m_view->matches() == 0
                           ? tr("No matches")
                           : tr("%1 / %2").arg(m_view->currentMatch()).arg(m_view->matches()));
    setAvailable(*m_failure, m_view->failures() > 0 ? QString() : tr("No errors found"));
    QStringList parts;
    const QLocale locale = QLocale::c();
    if (m_view->rows() > 0)
        parts << (m_view->lines() == 1
                      ? tr("1 line")
                      : tr("%1 lines").arg(locale.toString(static_cast<qlonglong>(m_view->lines()))))
              << locale.formattedDataSize(m_view->bytes(), 1, QLocale::DataSizeSIFormat);
    m_view->setEmptyText(m_note.isEmpty() ? tr("Nothing has been written yet.") : m_note);
    if (m_view->failures() > 0)
        parts << (m_view->failures() == 1 ? tr("1 line tells of a failure")
                                          : tr("%1 error lines").arg(m_view->failures()));
    if (!m_note.isEmpty() && m_view->rows() > 0) parts << tr("the desktop's copy; %1").arg(m_note);
    m_status->setVisible(!parts.isEmpty());
    static_cast<ElidedLabel*>(m_status)->setFullText(parts.join(QStringLiteral(" · ")));
}

bool LogPanel::isSettled() const {
    return m_view->isSettled();
}

void LogPanel::focusSearch() {
    m_search->setFocus();
    m_search->selectAll();
}

void LogPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_view->refresh();
    fetch();
}

bool LogPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            m_view->search(m_search->text());
            m_view->goToMatch(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape || key->key() == Qt::Key_Down) {
            if (key->key() == Qt::Key_Escape) m_search->clear();
            m_view->setFocus();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace dailies::ui

#include "ui/runs/detail_panel.h"

#include "core/base/clock.h"
#include "ui/bridge/read_store.h"
#include "ui/cluster/cluster_worker.h"
#include "ui/runs/run_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QGridLayout>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>
#include <set>

namespace dailies::ui {

namespace {

constexpr int kPanelWidth = 340;
constexpr int kKeyWidth = 128;
constexpr int kMostLogBlocks = 20000;
constexpr int kLogIntervalMs = 3000;

void clear(QLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->deleteLater();
            widget->hide();
        }
        delete item;
    }
}

std::pair<QScrollArea*, QVBoxLayout*> makeScrolledColumn() {
    auto* content = new QWidget;
    content->setProperty("clear", true);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(space::k16, space::k12, space::k16, space::k16);
    column->setSpacing(space::k4);
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return {scroll, column};
}

QWidget* makeFact(const QString& key, const QString& value, TextStyle style = TextStyle::Body) {
    auto* row = new QWidget;
    auto* layout = makeRow(space::k8);
    auto* name = new ElidedLabel(TextStyle::Body, TextTone::Muted);
    name->setFixedWidth(kKeyWidth);
    name->setFullText(key);
    auto* text = new ElidedLabel(style);
    text->setFullText(value);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(name);
    layout->addWidget(text, 1);
    row->setLayout(layout);
    row->setMinimumHeight(space::k24);
    return row;
}

QLabel* makeHeading(const QString& text) {
    auto* label = makeLabel(text, TextStyle::Strong);
    label->setContentsMargins(0, space::k12, 0, space::k4);
    return label;
}

}  // namespace

DetailPanel::DetailPanel(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_worker(worker),
      m_title(new ElidedLabel(TextStyle::Title)),
      m_status(makeLabel({}, TextStyle::Body)),
      m_tabs(new QTabWidget),
      m_log(new QPlainTextEdit),
      m_logNote(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_follow(new QToolButton) {
    setMinimumWidth(kPanelWidth);
    auto* header = makeRow(space::k8, {space::k16, space::k12, space::k8, space::k4});
    header->addWidget(m_title, 1);
    auto* close = makeIconButton(QStringLiteral("close"), tr("Close the details (Esc)"));
    connect(close, &QToolButton::clicked, this, &DetailPanel::closed);
    header->addWidget(close);

    m_status->setWordWrap(true);
    m_status->setContentsMargins(space::k16, 0, space::k16, space::k8);

    auto [overview, overviewColumn] = makeScrolledColumn();
    auto [messages, messagesColumn] = makeScrolledColumn();
    m_overview = overviewColumn;
    m_messages = messagesColumn;
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(overview, tr("Overview"));
    m_tabs->addTab(makeLogTab(), tr("Log"));
    m_tabs->addTab(messages, tr("Messages"));
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setExpanding(false);

    auto* column = makeColumn(0);
    column->addLayout(header);
    column->addWidget(m_status);
    column->addWidget(m_tabs, 1);
    setLayout(column);

    connect(m_tabs, &QTabWidget::currentChanged, this, &DetailPanel::askForLog);
    connect(&m_worker, &ClusterWorker::logRead, this,
            [this](const std::string& runId, const QString& text, qint64 next) {
                if (runId == m_run.id) {
                    appendLog(text, next);
                }
            });
    connect(&m_worker, &ClusterWorker::logUnavailable, this,
            [this](const std::string& runId, const QString& why) {
                if (runId == m_run.id) {
                    m_logAsked = false;
                    m_logNote->setText(why);
                    m_logNote->show();
                }
            });
    connect(&m_worker, &ClusterWorker::stateChanged, this, &DetailPanel::askForLog);
    m_logTimer.setInterval(kLogIntervalMs);
    connect(&m_logTimer, &QTimer::timeout, this, &DetailPanel::askForLog);
    m_logTimer.start();
}

QWidget* DetailPanel::makeLogTab() {
    auto* tab = new QWidget;
    auto* column = makeColumn(space::k8, {space::k12, space::k8, space::k12, space::k12});
    auto* bar = makeRow(space::k8);
    bar->addWidget(m_logNote, 1);
    m_logNote->setWordWrap(true);
    m_follow->setText(tr("Follow"));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setToolTip(tr("Keep the newest line in sight"));
    bar->addWidget(m_follow, 0, Qt::AlignTop);
    column->addLayout(bar);
    m_log->setReadOnly(true);
    m_log->setFont(Theme::font(TextStyle::Mono));
    m_log->setMaximumBlockCount(kMostLogBlocks);
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setAccessibleName(tr("Log of the newest attempt"));
    column->addWidget(m_log, 1);
    tab->setLayout(column);
    return tab;
}

void DetailPanel::setRun(const tracking::Run& run, const std::vector<std::string>& varied) {
    const bool other = run.id != m_run.id;
    m_run = run;
    m_varied = varied;
    if (other) {
        m_records = {};
        m_log->clear();
        m_logOffset = -1;
        m_logAsked = false;
        m_logNote->setText(tr("Reading the log…"));
        m_logNote->show();
        askForLog();
    }
    m_title->setFullText(inert(run.name));
    const QString reason = reasonText(run);
    m_status->setText(reason.isEmpty() ? statusText(run) : statusText(run) + QStringLiteral(" — ") + reason);
    setTone(m_status, run.status == tracking::RunStatus::Failed     ? TextTone::Danger
                      : run.status == tracking::RunStatus::Finished ? TextTone::Success
                                                                    : TextTone::Muted);
    readRecords();
}

void DetailPanel::readRecords() {
    m_task.cancel();
    m_reading = true;
    m_task = readStore(
        this, m_storeFile,
        [id = m_run.id](const tracking::Store& store, std::stop_token) {
            return Records{store.attempts(id), store.messages(id), store.checkpoints(id)};
        },
        [this](Records records) {
            m_reading = false;
            m_records = std::move(records);
            showOverview();
            showMessages();
        },
        [this](const Error& error) {
            m_reading = false;
            emit failed(error);
        });
}

void DetailPanel::showOverview() {
    clear(m_overview);
    const auto fact = [this](const QString& key, const QString& value, TextStyle style = TextStyle::Body) {
        if (!value.isEmpty()) {
            m_overview->addWidget(makeFact(key, value, style));
        }
    };
    const auto tagText = [this](const char* key) { return inert(tagOf(m_run, key)); };

    auto* idRow = new QWidget;
    auto* idLayout = makeRow(space::k8);
    idLayout->addWidget(makeFact(tr("Run id"), QString::fromStdString(m_run.id), TextStyle::Mono), 1);
    auto* copy = makeIconButton(QStringLiteral("copy"), tr("Copy the run id"));
    copy->setFixedSize(space::k24, space::k24);
    connect(copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(QString::fromStdString(m_run.id)); });
    idLayout->addWidget(copy);
    idRow->setLayout(idLayout);
    m_overview->addWidget(idRow);
    fact(tr("Experiment"), inert(m_run.experiment));
    fact(tr("Sweep"), tagText(tracking::tag::kSweepName));
    fact(tr("Cluster"), tagText(tracking::tag::kCluster));
    fact(tr("Job"), tagText(tracking::tag::kJob), TextStyle::Mono);
    fact(tr("Slurm state"), tagText(tracking::tag::kSlurmState), TextStyle::Mono);
    fact(tr("Started"), timeText(m_run.startMs));
    fact(tr("Duration"), durationText(durationMs(m_run, unixMillis())));
    fact(tr("Folder"), tagText(tracking::tag::kFolder), TextStyle::Mono);

    if (!m_run.metrics.empty()) {
        m_overview->addWidget(makeHeading(tr("Latest metrics")));
        for (const auto& [key, point] : m_run.metrics) {
            fact(inert(key), QStringLiteral("%1   at step %2").arg(metricText(point.value)).arg(point.step),
                 TextStyle::Mono);
        }
    }
    const std::set<std::string> varied(m_varied.begin(), m_varied.end());
    if (!varied.empty()) {
        m_overview->addWidget(makeHeading(tr("Varied params")));
        for (const auto& key : m_varied) {
            if (const auto found = m_run.params.find(key); found != m_run.params.end()) {
                fact(inert(key), inert(found->second), TextStyle::Mono);
            }
        }
    }
    if (!m_records.attempts.empty()) {
        m_overview->addWidget(makeHeading(tr("Attempts")));
        for (const auto& attempt : m_records.attempts) {
            QStringList parts{inert(attempt.state)};
            if (!attempt.node.empty()) {
                parts << tr("on %1").arg(inert(attempt.node));
            }
            if (attempt.endMs > attempt.startMs && attempt.startMs > 0) {
                parts << durationText(attempt.endMs - attempt.startMs);
            }
            if (!attempt.reason.empty()) {
                parts << inert(attempt.reason);
            }
            QString name = inert(attempt.job);
            if (attempt.restarts > 0) {
                name += tr(", restart %1").arg(attempt.restarts);
            }
            fact(name, parts.join(QStringLiteral(" · ")));
        }
    }
    if (!m_records.checkpoints.empty()) {
        m_overview->addWidget(makeHeading(tr("Checkpoints")));
        for (const auto& checkpoint : m_records.checkpoints) {
            fact(tr("step %1").arg(checkpoint.step),
                 tr("%1 MB").arg(static_cast<double>(checkpoint.bytes) / 1e6, 0, 'f', 1));
        }
    }
    if (m_run.params.size() > varied.size()) {
        m_overview->addWidget(makeHeading(tr("All params")));
        for (const auto& [key, value] : m_run.params) {
            if (!varied.contains(key)) {
                fact(inert(key), inert(value), TextStyle::Mono);
            }
        }
    }
    m_overview->addStretch();
}

void DetailPanel::showMessages() {
    clear(m_messages);
    m_tabs->setTabText(
        2, m_records.messages.empty() ? tr("Messages") : tr("Messages (%1)").arg(m_records.messages.size()));
    if (m_records.messages.empty()) {
        m_messages->addWidget(makeLabel(tr("Nothing to report."), TextStyle::Body, TextTone::Faint));
    }
    for (auto message = m_records.messages.rbegin(); message != m_records.messages.rend(); ++message) {
        const TextTone tone = message->level == "error"     ? TextTone::Danger
                              : message->level == "warning" ? TextTone::Warning
                                                            : TextTone::Normal;
        m_messages->addWidget(makeLabel(timeText(message->timeMs), TextStyle::Caption, TextTone::Faint));
        auto* text = makeLabel(inert(message->text), TextStyle::Body, tone);
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        text->setContentsMargins(0, 0, 0, space::k12);
        m_messages->addWidget(text);
    }
    m_messages->addStretch();
}

void DetailPanel::askForLog() {
    const bool looking = m_tabs->currentIndex() == 1 && isVisible() && !m_run.id.empty();
    const bool mayGrow = m_logOffset < 0 || isActive(m_run.status);
    if (!looking || !mayGrow || m_logAsked) {
        return;
    }
    m_logAsked = true;
    m_worker.readLog(m_run.id, m_logOffset);
}

void DetailPanel::appendLog(const QString& text, std::int64_t nextOffset) {
    m_logAsked = false;
    m_logOffset = nextOffset;
    if (!text.isEmpty()) {
        QTextCursor end(m_log->document());
        end.movePosition(QTextCursor::End);
        end.insertText(text);
    }
    const bool empty = m_log->document()->isEmpty();
    m_logNote->setText(empty ? tr("The run has not written anything yet.") : QString());
    if (m_follow->isChecked()) {
        m_log->verticalScrollBar()->setValue(m_log->verticalScrollBar()->maximum());
    }
}

}  // namespace dailies::ui

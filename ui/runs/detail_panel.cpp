#include "ui/runs/detail_panel.h"

#include "core/base/clock.h"
#include "ui/bridge/read_store.h"
#include "ui/link/cluster_worker.h"
#include "ui/run_details/fact_list.h"
#include "ui/run_details/log_panel.h"
#include "ui/run_details/run_facts.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QScrollArea>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include <iterator>

namespace dailies::ui {

namespace {

constexpr int kPanelWidth = 340;
constexpr std::size_t kMaxMetrics = 16;

QScrollArea* makeScrolled(QWidget* content) {
    auto* sheet = new QWidget;
    sheet->setProperty("clear", true);
    auto* column = makeColumn(0, {space::k16, space::k12, space::k16, space::k16});
    column->addWidget(content);
    column->addStretch();
    sheet->setLayout(column);
    auto* scroll = new QScrollArea;
    scroll->setWidget(sheet);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return scroll;
}

}  // namespace

DetailPanel::DetailPanel(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_worker(worker),
      m_title(new ElidedLabel(TextStyle::Title)),
      m_status(makeLabel({}, TextStyle::Body)),
      m_tabs(new QTabWidget),
      m_facts(new FactList),
      m_messages(new MessageList),
      m_log(new LogPanel(m_storeFile, worker)) {
    setMinimumWidth(kPanelWidth);
    auto* header = makeRow(space::k4, {space::k16, space::k12, space::k8, space::k4});
    header->addWidget(m_title, 1);
    auto* copy = makeIconButton(QStringLiteral("copy"), tr("Copy the run id"));
    connect(copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(QString::fromStdString(m_runId)); });
    excludeFromPalette(*copy);  // the page has it for the selected runs
    header->addWidget(copy);
    auto* open = makeIconButton(QStringLiteral("open"), tr("Open the run's page (Enter)"));
    connect(open, &QToolButton::clicked, this, [this] { emit opened(m_runId); });
    excludeFromPalette(*open);
    header->addWidget(open);
    auto* close = makeIconButton(QStringLiteral("close"), tr("Close the details (Esc)"));
    connect(close, &QToolButton::clicked, this, &DetailPanel::closed);
    header->addWidget(close);

    m_status->setWordWrap(true);
    m_status->setContentsMargins(space::k16, 0, space::k16, space::k8);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(makeScrolled(m_facts), tr("Overview"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->addTab(makeScrolled(m_messages), tr("Messages"));
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setExpanding(false);

    auto* column = makeColumn(0);
    column->addLayout(header);
    column->addWidget(m_status);
    column->addWidget(m_tabs, 1);
    setLayout(column);
    connect(m_log, &LogPanel::failed, this, &DetailPanel::failed);
    connect(&m_worker, &ClusterWorker::stateChanged, this, &DetailPanel::showStatus);
}

void DetailPanel::setRun(const tracking::Run& run, const std::vector<std::string>& varied) {
    if (run.id != m_runId) m_records = {};
    m_runId = run.id;
    m_varied = varied;
    m_records.run = run;
    m_title->setFullText(sanitized(run.name));
    showStatus();
    readRecords();
}

void DetailPanel::showStatus() {
    if (!m_records.run) return;
    const auto& run = *m_records.run;
    const std::string connectedTo = m_worker.connectedTo();
    QStringList words{statusText(run)};
    for (const QString& more : {reasonText(run), freshnessText(m_records, connectedTo, unixMillis())})
        if (!more.isEmpty()) words << more;
    m_status->setText(words.join(QStringLiteral(" · ")));
    setTone(m_status, run.status == tracking::RunStatus::Failed     ? TextTone::Danger
                      : run.status == tracking::RunStatus::Finished ? TextTone::Success
                                                                    : TextTone::Muted);
}

void DetailPanel::readRecords() {
    m_task.cancel();
    m_reading = true;
    m_task = readStore(
        this, m_storeFile,
        [id = m_runId](const tracking::Store& store, const std::stop_token&) {
            return loadRecords(store, id);
        },
        [this](RunRecords records) {
            m_reading = false;
            if (!records.run) return;
            m_records = std::move(records);
            showRecords();
        },
        [this](const Error& error) {
            m_reading = false;
            emit failed(error);
        });
}

void DetailPanel::showRecords() {
    const std::int64_t now = knownUntilMs(m_records, m_worker.connectedTo(), unixMillis());
    const auto& run = *m_records.run;
    std::vector<FactGroup> groups{timingFacts(m_records, now), metricFacts(run, kMaxMetrics),
                                  paramFacts(run, m_varied), machineFacts(m_records), layoutFacts(m_records)};
    auto attempts = attemptFacts(m_records, now);
    std::move(attempts.begin(), attempts.end(), std::back_inserter(groups));
    groups.push_back(identityFacts(m_records));
    m_facts->setGroups(std::move(groups));
    m_messages->setMessages(m_records.messages);
    m_tabs->setTabText(
        2, m_records.messages.empty() ? tr("Messages") : tr("Messages (%1)").arg(m_records.messages.size()));
    m_log->setRun(run, m_records.attempts);
    showStatus();
}

}  // namespace dailies::ui

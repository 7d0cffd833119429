#include "ui/cluster/alerts_panel.h"

#include "core/alerts/alert_records.h"
#include "ui/bridge/read_store.h"
#include "ui/bridge/write_store.h"
#include "ui/cluster/snapshot_table.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kMost = 500;

std::vector<SnapshotModel::Column> alertColumns() {
    return {{QObject::tr("When"), 150},
            {QObject::tr("Alert"), 140},
            {QObject::tr("Run or cluster"), 300},
            {QObject::tr("Reason"), 300}};
}

struct KindLook {
    const char* word;
    StatusTone tone;
};

KindLook lookOf(alerts::Kind kind) {
    switch (kind) {
        case alerts::Kind::Failed:
            return {QT_TR_NOOP("Failed"), StatusTone::Bad};
        case alerts::Kind::Stuck:
            return {QT_TR_NOOP("Stuck"), StatusTone::Warning};
        case alerts::Kind::Diverged:
            return {QT_TR_NOOP("Diverged"), StatusTone::Bad};
        case alerts::Kind::Finished:
            return {QT_TR_NOOP("Finished"), StatusTone::Good};
        case alerts::Kind::Disk:
            return {QT_TR_NOOP("Disk"), StatusTone::Warning};
        case alerts::Kind::Idle:
            return {QT_TR_NOOP("Idle"), StatusTone::Warning};
    }
    return {"", StatusTone::Muted};
}

/// The end of a log has lines of its own.
QString oneLine(const std::string& text) {
    return sanitized(text).replace(QLatin1Char('\n'), QStringLiteral(" · "));
}

SnapshotRow rowOf(const alerts::Alert& alert) {
    const KindLook look = lookOf(alert.kind);
    const StatusTone tone = alert.acknowledged ? StatusTone::Faint : StatusTone::Normal;
    SnapshotRow row;
    row.key = QString::fromStdString(alert.key);
    SnapshotCell what{QObject::tr(look.word), static_cast<double>(alert.kind),
                      alert.acknowledged ? StatusTone::Faint : look.tone};
    what.dot = true;
    row.cells = {{timeText(alert.timeMs), static_cast<double>(alert.timeMs),
                  alert.acknowledged ? StatusTone::Faint : StatusTone::Muted},
                 what,
                 {sanitized(alert.title), 0, tone},
                 {oneLine(alert.text), 0, alert.acknowledged ? StatusTone::Faint : StatusTone::Muted}};
    return row;
}

}  // namespace

StatusTone toneOf(alerts::Kind kind) {
    return lookOf(kind).tone;
}

AlertsPanel::AlertsPanel(std::filesystem::path storeFile, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_table(new SnapshotTable(alertColumns(), tr("Alerts"), static_cast<int>(alertColumns().size()) - 1)),
      m_none(makeLabel(
          tr("No alerts. Runs that fail, get stuck, diverge or leave devices idle are listed here, and "
             "a file system that is nearly full. Your desktop is notified of these and of runs that "
             "finish."),
          TextStyle::Body, TextTone::Faint)),
      m_acknowledge(makeButton(tr("Acknowledge"), ButtonKind::Ghost)),
      m_acknowledgeAll(makeButton(tr("Acknowledge all"), ButtonKind::Ghost)),
      m_webhook(new QLineEdit) {
    m_none->setWordWrap(true);
    m_none->setContentsMargins(space::k16, space::k8, space::k16, space::k16);
    m_webhook->setPlaceholderText(tr("Webhook: https://… gets each alert as JSON"));
    m_webhook->setAccessibleName(tr("Webhook"));
    offerField(*m_webhook);
    setPaletteWords(*m_webhook, tr("settings alerts notifications slack url"));
    m_webhook->setToolTip(
        tr("A POST of {\"kind\", \"run_id\", \"title\", \"text\", \"time\"} for each alert"));
    auto* bar = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    bar->addWidget(m_acknowledge);
    bar->addWidget(m_acknowledgeAll);
    bar->addStretch();
    bar->addWidget(m_webhook, 1);
    auto* column = makeColumn(0);
    column->addLayout(bar);
    column->addWidget(m_none);
    column->addWidget(m_table, 1);
    setLayout(column);

    connect(m_acknowledge, &QPushButton::clicked, this, [this] { acknowledge(false); });
    connect(m_acknowledgeAll, &QPushButton::clicked, this, [this] { acknowledge(true); });
    connect(m_webhook, &QLineEdit::editingFinished, this, [this] {
        if (!m_webhook->isModified()) return;
        m_webhook->setModified(false);
        emit webhookChosen(m_webhook->text().trimmed().toStdString());
    });
    connect(m_table, &SnapshotTable::chosen, this, [this](const QString& key) {
        setAvailable(*m_acknowledge, key.isEmpty() ? tr("Choose an alert first") : QString());
    });
    connect(m_table, &SnapshotTable::activatedKey, this, [this](const QString& key) {
        const auto found = std::ranges::find(m_alerts, key.toStdString(), &alerts::Alert::key);
        if (found != m_alerts.end() && !found->runId.empty()) emit openRunRequested(found->runId);
    });
    display({});
}

void AlertsPanel::setWebhook(const std::string& url) {
    m_webhook->setText(QString::fromStdString(url));
    m_webhook->setCursorPosition(0);
}

void AlertsPanel::reload() {
    if (m_reading) {
        return;
    }
    m_reading = true;
    readStore(
        this, m_storeFile,
        [](const tracking::Store& store, std::stop_token) { return alerts::recent(store, kMost); },
        [this](std::vector<alerts::Alert> found) {
            m_reading = false;
            display(std::move(found));
        },
        [this](const Error& error) {
            m_reading = false;
            emit failed(error);
        });
}

void AlertsPanel::display(std::vector<alerts::Alert> found) {
    m_alerts = std::move(found);
    std::vector<SnapshotRow> rows;
    for (const alerts::Alert& alert : m_alerts) rows.push_back(rowOf(alert));
    m_table->facts().setRows(std::move(rows));
    const auto open = std::ranges::count(m_alerts, false, &alerts::Alert::acknowledged);
    m_none->setVisible(m_alerts.empty());
    setAvailable(*m_acknowledge, m_table->currentKey().isEmpty() ? tr("Choose an alert first") : QString());
    setAvailable(*m_acknowledgeAll, open > 0 ? QString() : tr("No unacknowledged alerts"));
    emit countChanged(static_cast<int>(open));
}

void AlertsPanel::acknowledge(bool all) {
    writeStore(
        this, m_storeFile,
        [all, key = m_table->currentKey().toStdString()](tracking::Store& store) {
            all ? alerts::acknowledgeAll(store) : alerts::acknowledge(store, {key});
        },
        [this] { reload(); }, [this](const Error& error) { emit failed(error); });
}

}  // namespace dailies::ui

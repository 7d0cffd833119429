#include "ui/run_page/checkpoints_tab.h"

#include "core/tracking/artifact_root.h"
#include "ui/link/cluster_worker.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QHeaderView>
#include <QLocale>
#include <QTableWidget>

namespace dailies::ui {

CheckpointsTab::CheckpointsTab(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_worker(worker),
      m_table(new QTableWidget(0, 4)),
      m_progress(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_copy(makeButton(tr("Copy path"), ButtonKind::Normal, QStringLiteral("copy"))),
      m_pull(makeButton(tr("Copy to this machine"), ButtonKind::Normal, QStringLiteral("save"))) {
    auto* bar = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    bar->addWidget(m_copy);
    bar->addWidget(m_pull);
    bar->addWidget(m_progress, 1);
    m_table->setHorizontalHeaderLabels({tr("Step"), tr("Size"), tr("Where"), tr("Path")});
    configureRowList(*m_table, tr("Checkpoints"));
    m_table->setColumnWidth(0, 120);
    m_table->setColumnWidth(1, 120);
    m_table->setColumnWidth(2, 200);
    auto* column = makeColumn(0);
    column->addLayout(bar);
    column->addWidget(makeLine());
    column->addWidget(m_table, 1);
    setLayout(column);

    connect(m_table, &QTableWidget::itemSelectionChanged, this, &CheckpointsTab::updateButtons);
    connect(m_copy, &QPushButton::clicked, this, &CheckpointsTab::copyPath);
    connect(m_pull, &QPushButton::clicked, this, [this] {
        m_pulling = true;
        showProgress(tr("Asking the cluster…"));
        updateButtons();
        m_worker.pullCheckpoints(m_runId);
    });
    connect(&m_worker, &ClusterWorker::progress, this, &CheckpointsTab::showProgress);
    connect(&m_worker, &ClusterWorker::checkpointsPulled, this, [this](const std::string& runId, int files) {
        if (runId != m_runId) return;
        m_pulling = false;
        m_progress->setText(files == 0   ? tr("Everything is here already")
                            : files == 1 ? tr("1 file copied")
                                         : tr("%1 files copied").arg(files));
        updateButtons();
        emit pulled();
    });
    const auto stopped = [this] {
        if (!m_pulling) return;
        m_pulling = false;
        m_progress->setText(tr("Not copied: see the message"));
        updateButtons();
    };
    connect(&m_worker, &ClusterWorker::failed, this, stopped);
    connect(&m_worker, &ClusterWorker::stateChanged, this, [this, stopped](ConnectionState state) {
        if (state != ConnectionState::Connected) stopped();
        updateButtons();
    });
}

void CheckpointsTab::showProgress(const QString& line) {
    if (m_pulling) m_progress->setText(line);
}

void CheckpointsTab::setRecords(const RunRecords& records) {
    if (records.run->id != m_runId) m_progress->clear();
    m_runId = records.run->id;
    m_cluster = tagOf(*records.run, tracking::tag::kCluster);
    const std::string folder = tagOf(*records.run, tracking::tag::kFolder);
    m_table->setRowCount(0);
    for (auto checkpoint = records.checkpoints.rbegin(); checkpoint != records.checkpoints.rend();
         ++checkpoint) {
        const bool here = records.pulled.contains(checkpoint->step);
        const auto local = tracking::artifactRoot(m_storeFile) / m_runId / checkpoint->path;
        const std::string path = here             ? local.string()
                                 : folder.empty() ? checkpoint->path
                                                  : folder + "/" + checkpoint->path;
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        const QString cells[] = {
            QString::number(checkpoint->step),
            QLocale::c().formattedDataSize(checkpoint->bytes, 1, QLocale::DataSizeSIFormat),
            here                ? tr("on this machine")
            : m_cluster.empty() ? tr("on the cluster")
                                : tr("on %1").arg(sanitized(m_cluster)),
            sanitized(path)};
        for (int column = 0; column < 4; ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            if (column == 3) item->setFont(Theme::font(TextStyle::Mono));
            m_table->setItem(row, column, item);
        }
    }
    if (records.checkpoints.empty()) m_progress->setText(tr("No checkpoint yet (checkpoint.every steps)."));
    updateButtons();
}

void CheckpointsTab::copyPath() {
    const int row = std::max(m_table->currentRow(), 0);
    if (const auto* path = m_table->item(row, 3)) {
        QApplication::clipboard()->setText(path->text());
        emit notification(tr("Copied the checkpoint's path"));
    }
}

void CheckpointsTab::updateButtons() {
    const bool any = m_table->rowCount() > 0;
    const bool connected =
        m_worker.state() == ConnectionState::Connected && m_worker.clusterName() == m_cluster;
    const QString none = any ? QString() : tr("The run has no checkpoint yet");
    const QString offline = connected           ? QString()
                            : m_cluster.empty() ? tr("Connect to a cluster first")
                                                : tr("Connect to %1 first").arg(sanitized(m_cluster));
    setAvailable(*m_copy, none);
    setAvailable(*m_pull, !none.isEmpty()      ? none
                          : !offline.isEmpty() ? offline
                          : m_pulling          ? tr("They are being copied")
                                               : QString());
    m_pull->setToolTip(connected ? tr("Copies all of the run's checkpoints beside the store") : offline);
}

}  // namespace dailies::ui

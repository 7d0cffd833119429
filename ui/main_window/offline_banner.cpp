#include "ui/main_window/offline_banner.h"

#include "ui/bridge/read_store.h"
#include "ui/run_details/run_facts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kReadDelayMs = 500;  ///< a poll's many changes make one reading

}  // namespace

OfflineBanner::OfflineBanner(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent)
    : QFrame(parent),
      m_storeFile(std::move(storeFile)),
      m_worker(worker),
      m_text(new ElidedLabel(TextStyle::Body, TextTone::Warning)),
      m_connect(makeButton(tr("Connect"))) {
    setProperty("bar", true);
    auto* row = makeRow(space::k8, {space::k16, space::k4, space::k16, space::k4});
    row->addWidget(m_text, 1);
    m_connect->setToolTip(tr("Connect to the cluster to update its runs"));
    row->addWidget(m_connect);
    setLayout(row);
    hide();
    connect(m_connect, &QPushButton::clicked, this, [this] { emit connectRequested(m_cluster); });
    m_later.setSingleShot(true);
    m_later.setInterval(kReadDelayMs);
    connect(&m_later, &QTimer::timeout, this, &OfflineBanner::read);
    const auto later = [this] {
        if (m_worker.state() != ConnectionState::Connected) m_later.start();
    };
    // Not while the page reads its runs, for which somebody waits.
    connect(&m_worker, &ClusterWorker::storeOpened, this, [this] {
        if (m_worker.readOnly().empty())
            m_later.start();
        else
            read();
    });
    connect(&m_worker, &ClusterWorker::runsChanged, this, later);
    connect(&m_worker, &ClusterWorker::stateChanged, this, &OfflineBanner::read);
}

void OfflineBanner::read() {
    m_task.cancel();
    m_reading = false;
    if (!m_worker.readOnly().empty()) {
        showReadOnly();
        return;
    }
    m_reading = true;
    const std::string connected = m_worker.connectedTo();
    m_task = readStore(
        this, m_storeFile,
        [connected](const tracking::Store& store, const std::stop_token&) {
            StaleRuns doubt;
            for (const auto& run : store.activeRuns()) {
                if (!mayBeStale(run, connected)) continue;
                const std::string cluster = tagOf(run, tracking::tag::kCluster);
                doubt.severalClusters |= doubt.runs > 0 && cluster != doubt.cluster;
                doubt.cluster = cluster;
                ++doubt.runs;
                doubt.lastSeenMs = std::max(doubt.lastSeenMs, lastSeenMs(run, {}));
            }
            return doubt;
        },
        [this](const StaleRuns& doubt) {
            m_reading = false;
            showStaleRuns(doubt);
        },
        [this](const Error&) { m_reading = false; });  // the pages say what is wrong with the store
}

/// Whoever may write follows the runs: whether this program is connected says nothing of them.
void OfflineBanner::showReadOnly() {
    QString reason = sanitized(m_worker.readOnly());
    reason[0] = reason[0].toLower();
    static_cast<ElidedLabel*>(m_text)->setFullText(tr("Read-only: %1").arg(reason));
    m_connect->hide();
    show();
}

void OfflineBanner::showStaleRuns(const StaleRuns& doubt) {
    m_cluster = doubt.cluster;
    setVisible(doubt.runs > 0);
    const QString where = doubt.severalClusters ? tr("the clusters of %1 active runs").arg(doubt.runs)
                                                : sanitized(doubt.cluster);
    const QString what =
        doubt.runs == 1
            ? tr("1 active run is shown as of %1").arg(timeText(doubt.lastSeenMs))
            : tr("%1 active runs are shown as of %2").arg(doubt.runs).arg(timeText(doubt.lastSeenMs));
    const ConnectionState state = m_worker.state();
    const bool other = doubt.severalClusters || m_worker.clusterName() != doubt.cluster;
    const QString link = other || state == ConnectionState::Offline || state == ConnectionState::Connected
                             ? tr("Not connected to %1.").arg(where)
                         : state == ConnectionState::Connecting
                             ? tr("Connecting to %1…").arg(where)
                             : tr("Connection to %1 lost; reconnecting…").arg(where);
    static_cast<ElidedLabel*>(m_text)->setFullText(
        tr("%1 %2 or earlier. They may have changed since.").arg(link, what));
    m_connect->setVisible(state == ConnectionState::Offline);
}

}  // namespace dailies::ui

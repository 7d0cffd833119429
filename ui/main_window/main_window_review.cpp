// What the Review page asks of the window and of the cluster, and how runs and clips from elsewhere come in.
#include "ui/main_window/clip_opener.h"
#include "ui/main_window/folder_watch.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/settings.h"
#include "ui/playback/frame_service.h"
#include "ui/review/review_page.h"
#include "ui/sampling/sample_dialog.h"
#include "ui/scoring/score_dialog.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/widgets.h"

#include <QDropEvent>

#include <algorithm>

namespace dailies::ui {

void MainWindow::wireFolders() {
    connect(m_clipOpener, &ClipOpener::opened, this, [this](const std::vector<std::string>& runIds) {
        emit m_worker.runsChanged(runIds);
        review(runIds);
    });
    connect(m_clipOpener, &ClipOpener::notification, this, &MainWindow::showNotification);
    connect(m_clipOpener, &ClipOpener::failed, this, &MainWindow::showFailure);
    connect(m_folderWatch, &FolderWatch::found, this, [this](const std::vector<std::string>& runIds) {
        emit m_worker.runsChanged(runIds);
        if (runIds.size() == 1)
            openRun(runIds.front());
        else
            showPage(Page::Runs);
        showNotification(runIds.size() == 1
                             ? tr("Following the run while the window is open")
                             : tr("Following %1 runs while the window is open").arg(runIds.size()));
    });
    connect(m_folderWatch, &FolderWatch::withoutRuns, m_clipOpener, &ClipOpener::open);
    connect(m_folderWatch, &FolderWatch::failed, this, &MainWindow::showFailure);
}

void MainWindow::openPaths(const std::vector<std::filesystem::path>& paths) {
    if (!m_worker.readOnly().empty()) return showFailure(Error(m_worker.readOnly()));
    m_folderWatch->open(paths);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!ClipOpener::pathsOf(*event->mimeData()).empty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    openPaths(ClipOpener::pathsOf(*event->mimeData()));
    event->acceptProposedAction();
}

void MainWindow::wireReview() {
    connect(m_review, &ReviewPage::openFolderRequested, this, [this] { m_clipOpener->choose(*this); });
    connect(m_review, &ReviewPage::notification, this, &MainWindow::showNotification);
    connect(m_review, &ReviewPage::saved, this, &MainWindow::showSaved);
    connect(m_review, &ReviewPage::failed, this, &MainWindow::showFailure);
    connect(m_review, &ReviewPage::frameCacheChosen, this, [this](qint64 mebibytes) {
        runAsync(
            this,
            [mebibytes](std::stop_token) {
                changeSettings([mebibytes](Settings& settings) { settings.frameCacheMiB = mebibytes; });
            },
            [] {}, [this](const Error& error) { showFailure(error); });
    });
    const std::string tileWidth = "ReviewPage/tile width";
    if (const auto kept = m_windowStateSaver.sizesOf(tileWidth); kept.size() == 1)
        m_review->restoreTileWidth(std::max(kept.front(), 0));
    connect(m_review, &ReviewPage::tileWidthChosen, this,
            [this, tileWidth](int width) { m_windowStateSaver.setSizes(tileWidth, {width}); });
    const auto frames = FrameService::shared();
    connect(frames.get(), &FrameService::wanted, &m_worker, &ClusterWorker::fetchClip);
    connect(&m_worker, &ClusterWorker::clipPartFetched, frames.get(), &FrameService::handlePartFetched);
    connect(&m_worker, &ClusterWorker::clipFetchFinished, frames.get(), &FrameService::settle);
    ClipActions& actions = m_review->clipActions();
    connect(&actions, &ClipActions::openRunRequested, this, &MainWindow::openRun);
    connect(&actions, &ClipActions::forkRequested, this, &MainWindow::fork);
    connect(&actions, &ClipActions::archiveRequested, this, &MainWindow::archive);
    connect(&actions, &ClipActions::cancelRequested, this,
            [this](const std::string& runId) { m_worker.cancelRuns({runId}); });
    connect(&actions, &ClipActions::extendRequested, this,
            [this](const std::string& runId, qint64 steps) { m_worker.extendRun(runId, steps); });
    connect(m_review, &ReviewPage::sampleRequested, this,
            [this](const std::vector<std::string>& runIds) { sample(runIds, {}); });
    connect(m_review, &ReviewPage::scoreRequested, this, [this](const std::vector<std::string>& runIds) {
        auto* dialog = new ScoreDialog(m_worker, runIds, this);
        connect(dialog, &ScoreDialog::connectRequested, this, [this] { openConnectDialog(); });
        connect(dialog, &ScoreDialog::failed, this, &MainWindow::showFailure);
        dialog->open();
    });
    connect(&actions, &ClipActions::sampleRequested, this,
            [this](const std::string& runId, qint64 step, const std::string& prompt, qint64 seed) {
                sample({runId}, SampleDialog::Clip{step, prompt, seed});
            });
    connect(&actions, &ClipActions::exportRequested, this, [this](const std::string& runId, qint64 step) {
        chooseFolder(*this, tr("Export the checkpoint to a folder"),
                     [this, runId, step](const QString& folder) {
                         m_worker.exportCheckpoint(runId, step, folder.toStdString());
                     });
    });
    connect(m_review, &ReviewPage::trainOnPreferencesRequested, this,
            [this](const std::string& runId, qint64 step, const std::vector<std::string>& comparedRuns) {
                m_worker.forkOnPreferences({runId, step, comparedRuns});
            });
    connect(&m_worker, &ClusterWorker::preferencesForked, m_review,
            [this](const remote::PreferenceFork& fork) {
                const auto pairs = QString::fromStdString(judging::preferencesText(fork.written));
                launchPage().startFrom(fork.sweep, tr("%1 preferences").arg(fork.written.pairs));
                showPage(Page::Launch);
                QStringList lines{pairs};
                for (const auto& notice : fork.notices) lines << sanitized(notice);
                showNotification(lines.join(QLatin1Char('\n')));
            });
    connect(&actions, &ClipActions::checkpointsRequested, &m_worker, &ClusterWorker::pullCheckpoints);
}

}  // namespace dailies::ui

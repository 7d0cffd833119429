// The Datasets page in the window: which folder it opens with, that it is remembered, and that closing loses
// nothing of it.
#include "ui/curating/caption_dialog.h"
#include "ui/curating/curate_dialog.h"
#include "ui/curating/score_clips_dialog.h"
#include "ui/curating/shard_dialog.h"
#include "ui/datasets/datasets_page.h"
#include "ui/files/file_browser.h"
#include "ui/launch/launch_page.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/settings.h"

#include <QCloseEvent>
#include <QMessageBox>
#include <QPushButton>

namespace dailies::ui {

DatasetsPage& MainWindow::datasetsPage() {
    if (!m_datasets) {
        m_datasets = new DatasetsPage;
        wireDatasets();
        addPage(m_datasets);
    }
    return *m_datasets;
}

void MainWindow::wireDatasets() {
    connect(m_datasets, &DatasetsPage::notification, this, &MainWindow::showNotification);
    connect(m_datasets, &DatasetsPage::failed, this, &MainWindow::showFailure);
    const auto openForm = [this](DatasetJobDialog* dialog) {
        connect(dialog, &DatasetJobDialog::connectRequested, this, [this] { openConnectDialog(); });
        connect(dialog, &DatasetJobDialog::failed, this, &MainWindow::showFailure);
        dialog->open();
    };
    const auto folderOnCluster = [this] {
        const auto& origin = m_datasets->model().folder().origin;
        return origin ? QString::fromStdString(origin->folder) : QString();
    };
    connect(m_datasets, &DatasetsPage::curateRequested, this,
            [this, openForm] { openForm(new CurateDialog(m_worker, this)); });
    connect(m_datasets, &DatasetsPage::captionRequested, this, [this, openForm, folderOnCluster] {
        openForm(new CaptionDialog(m_worker, folderOnCluster(), this));
    });
    connect(m_datasets, &DatasetsPage::scoreRequested, this, [this, openForm, folderOnCluster] {
        openForm(new ScoreClipsDialog(m_worker, folderOnCluster(), this));
    });
    connect(m_datasets, &DatasetsPage::shardRequested, this, [this, openForm, folderOnCluster] {
        openForm(new ShardDialog(m_worker, folderOnCluster(), this));
    });
    connect(m_datasets, &DatasetsPage::trainRequested, this, [this](const QString& folder) {
        launchPage().trainOn(folder.toStdString());
        showPage(Page::Launch);
    });
    connect(m_datasets, &DatasetsPage::openRemoteRequested, this, [this] {
        if (!m_worker.info()) {
            openConnectDialog();
            return;
        }
        auto* browser = new FileBrowser(m_worker, FileBrowser::Wanted::Folder, {}, this);
        connect(browser, &FileBrowser::chosen, this,
                [this](const QString& folder) { m_worker.copyCuratedFolder(folder.toStdString()); });
        browser->open();
    });
    connect(&m_worker, &ClusterWorker::curatedFolderCopied, m_datasets,
            [this](const QString& copy) { m_datasets->open(copy.toStdString()); });
    connect(&m_datasets->model(), &DatasetModel::folderSaved, this,
            [this](const QString& folder, const QString& cluster) {
                if (!cluster.isEmpty() && m_worker.connectedTo() == cluster.toStdString())
                    m_worker.sendVerdicts(folder.toStdString());
            });
    connect(&m_worker, &ClusterWorker::verdictsSent, m_datasets, [this](const QString& copy) {
        m_datasets->model().noteSent(copy.toStdString());
        showNotification(tr("The verdicts are on the cluster"));
    });
    connect(&m_datasets->model(), &DatasetModel::allSaved, this, &QWidget::close);
    if (!m_options.datasetFolder.empty()) m_datasets->open(m_options.datasetFolder);
    if (!m_options.remember) return;
    connect(m_datasets, &DatasetsPage::folderOpened, this, [this](const QString& folder) {
        runAsync(
            this,
            [name = folder.toStdString()](std::stop_token) {
                changeSettings([&name](Settings& settings) { settings.lastDataset = name; });
            },
            [] {}, [this](const Error& error) { showFailure(error); });
    });
    if (!m_options.datasetFolder.empty()) return;
    runAsync(
        this, [](std::stop_token) { return loadSettings().lastDataset; },
        [this](const std::string& folder) {
            // a person may have chosen one meanwhile
            if (!folder.empty() && m_datasets->model().folder().folder.empty()) m_datasets->open(folder);
        },
        [](const Error&) {});
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_datasets && !m_leavesUnsaved)
        if (const auto unsaved = m_datasets->model().unsavedFolders(); !unsaved.empty()) {
            event->ignore();
            return askToSaveDatasets(unsaved);
        }
    QMainWindow::closeEvent(event);
}

void MainWindow::askToSaveDatasets(const std::vector<std::filesystem::path>& unsaved) {
    auto* box = new QMessageBox(
        QMessageBox::Question, tr("Unsaved changes"),
        unsaved.size() == 1
            ? tr("Save the changes to %1?").arg(QString::fromStdString(unsaved.front().filename().string()))
            : tr("Save the changes to %1 datasets?").arg(unsaved.size()),
        QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("Its thresholds, corrections and captions are in this window only."));
    auto* save = box->addButton(tr("Save and close"), QMessageBox::AcceptRole);
    auto* discard = box->addButton(tr("Close without saving"), QMessageBox::DestructiveRole);
    box->addButton(tr("Cancel"), QMessageBox::RejectRole);
    box->setDefaultButton(save);
    connect(box, &QMessageBox::buttonClicked, this, [this, save, discard](QAbstractButton* button) {
        m_leavesUnsaved = button == discard;
        if (button == save) m_datasets->model().saveAll();
        if (button == discard) close();
    });
    box->open();
}

}  // namespace dailies::ui

// The Datasets page in the window: which folder it opens with, and that it is remembered.
#include "ui/datasets/datasets_page.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/settings.h"

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

}  // namespace dailies::ui

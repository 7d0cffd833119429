#pragma once

#include "core/exchange/import.h"
#include "ui/bridge/run_async.h"
#include "ui/widgets/form_dialog.h"

#include <QTimer>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

class QCheckBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace dailies::ui {

class ProgressView;

/// Brings in runs of other trackers: asks for a file or folder, says what each tracker left there, imports
/// what is wanted of it as `dailies import` does, and says what became of it.
class ImportDialog : public FormDialog {
    Q_OBJECT

public:
    /// `readOnly`: why nothing can be imported; empty: it can.
    ImportDialog(std::filesystem::path storeFile, const QString& readOnly, QWidget* parent = nullptr);
    ~ImportDialog() override;

    void setSource(const QString& path);
    /// Everything that was asked for is on the screen.
    bool isSettled() const { return !m_searching && !m_importing && !m_searchLater.isActive(); }

signals:
    void imported();  ///< there are runs that were not there before, or more of them

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void reject() override;

private:
    /// What became of the work; without a summary it was stopped.
    struct Outcome {
        std::optional<exchange::ImportSummary> summary;
    };

    void fillForm();
    void choose(bool folder);
    void search();
    void showFound(const exchange::FoundSources& found);
    void start();
    void finish(const Outcome& outcome);
    void showRows(const std::vector<std::pair<exchange::SourceKind, QString>>& rows, bool choosable);
    void showDetails(const QStringList& sentences);
    void refresh();
    std::vector<exchange::SourceKind> wanted() const;

    std::filesystem::path m_storeFile;
    QString m_readOnly;
    QTimer m_searchLater;
    AsyncTask m_search;
    std::stop_source m_stop;
    bool m_searching = false, m_importing = false, m_done = false;
    std::vector<std::pair<exchange::SourceKind, QCheckBox*>> m_choices;

    QLineEdit* m_source;
    QPushButton* m_file;
    QPushButton* m_folder;
    QLineEdit* m_experiment;
    QLabel* m_headline;
    QWidget* m_rows;
    QGridLayout* m_rowsGrid;
    QLabel* m_details;
    ProgressView* m_progress;
};

}  // namespace dailies::ui

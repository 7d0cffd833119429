#pragma once

#include "core/exchange/export.h"
#include "ui/bridge/run_async.h"

#include <QDialog>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace dailies::ui {

class ProgressView;

/// Writes runs or their points to a file as `dailies export` does: asks which runs, what of them, in which
/// form.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    struct Scopes {
        std::vector<std::string> selected;  ///< run ids in the table's order
        std::vector<std::string> shown;     ///< by experiment and filter
        std::size_t all = 0;                ///< how many the store has
    };
    ExportDialog(std::filesystem::path storeFile, Scopes scopes, QWidget* parent = nullptr);
    ~ExportDialog() override;

    bool settled() const { return !m_exporting; }

protected:
    void reject() override;

private:
    enum Scope { Selected, Shown, All };
    /// Without a summary it was stopped.
    struct Outcome {
        std::optional<exchange::ExportSummary> summary;
        bool exists = false;  ///< nothing was done: there is a file of that name
    };

    QWidget* makeForm();
    QWidget* makeFooter();
    void chooseFile();
    void optionsChanged();
    void start();
    void finish(const Outcome& outcome);
    void refresh();
    void showProblem(const QString& text);
    exchange::ExportTable table() const;
    exchange::ExportFormat format() const;

    std::filesystem::path m_storeFile;
    Scopes m_scopes;
    std::stop_source m_stop;
    bool m_exporting = false, m_replace = false;
    std::filesystem::path m_written;  ///< empty: nothing yet

    QComboBox* m_what;
    QComboBox* m_runs;
    QComboBox* m_format;
    QComboBox* m_names;
    QCheckBox* m_rawText;
    QLineEdit* m_file;
    QPushButton* m_choose;
    QLabel* m_result;
    QLabel* m_problem;
    ProgressView* m_progress;
    QPushButton* m_open;
    QPushButton* m_cancel;
    QPushButton* m_export;
};

}  // namespace dailies::ui

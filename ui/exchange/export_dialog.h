#pragma once

#include "core/exchange/export.h"
#include "ui/bridge/run_async.h"
#include "ui/widgets/form_dialog.h"
#include "ui/widgets/output_file_field.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace dailies::ui {

class ProgressView;

/// Writes runs or their points to a file as `dailies export` does: asks which runs, what of them, in which
/// form.
class ExportDialog : public FormDialog {
    Q_OBJECT

public:
    struct Scopes {
        std::vector<std::string> selected;  ///< run ids in the table's order
        std::vector<std::string> shown;     ///< by experiment and filter
        std::size_t all = 0;                ///< how many the store has
    };
    ExportDialog(std::filesystem::path storeFile, Scopes scopes, QWidget* parent = nullptr);
    ~ExportDialog() override;

    bool isSettled() const { return !m_exporting; }

protected:
    void reject() override;

private:
    enum Scope { Selected, Shown, All };
    /// Without a summary it was stopped.
    struct Outcome {
        std::optional<exchange::ExportSummary> summary;
        WriteConfirmation question =
            WriteConfirmation::None;  ///< nothing was done: the answer is needed first
    };

    void fillForm();
    void optionsChanged();
    void start();
    void finish(const Outcome& outcome);
    void refresh();
    exchange::ExportTable table() const;
    exchange::ExportFormat format() const;

    std::filesystem::path m_storeFile;
    Scopes m_scopes;
    std::stop_source m_stop;
    bool m_exporting = false;
    std::filesystem::path m_written;  ///< empty: nothing yet

    QComboBox* m_what;
    QComboBox* m_runs;
    QComboBox* m_format;
    QComboBox* m_names;
    QCheckBox* m_rawText;
    OutputFileField* m_file;
    QLabel* m_result;
    ProgressView* m_progress;
    QPushButton* m_open;
};

}  // namespace dailies::ui

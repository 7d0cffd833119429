#pragma once

#include "core/base/error.h"

#include <QDialog>

#include <filesystem>
#include <string>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;

namespace dailies::ui {

class RunActions;

/// Asks before runs are deleted for ever and says what goes with them; stays open with a progress bar until
/// it is done.
class PurgeDialog : public QDialog {
    Q_OBJECT

public:
    PurgeDialog(const std::filesystem::path& storeFile, RunActions& actions, std::vector<std::string> runIds,
                QWidget* parent);
    /// What goes has been counted.
    bool counted() const { return m_counted; }

public slots:
    void reject() override;

private:
    void count(const std::filesystem::path& storeFile);
    void start();
    RunActions& m_actions;
    std::vector<std::string> m_runIds;
    QLabel* m_what;
    QLabel* m_problem;
    QProgressBar* m_progress;
    QPushButton* m_cancel;
    QPushButton* m_delete;
    bool m_counted = false;
    bool m_deleting = false;
};

}  // namespace dailies::ui

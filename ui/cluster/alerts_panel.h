#pragma once

#include "core/alerts/rules.h"
#include "core/base/error.h"
#include "ui/cluster/snapshot_model.h"

#include <QWidget>

#include <filesystem>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace dailies::ui {

/// Good, bad or something to look after: the same in the list and in a message.
StatusTone toneOf(alerts::Kind kind);

class SnapshotTable;

/// What was told of runs and clusters, newest first, until somebody acknowledges it; and where else it is
/// sent.
class AlertsPanel : public QWidget {
    Q_OBJECT

public:
    explicit AlertsPanel(std::filesystem::path storeFile, QWidget* parent = nullptr);

    bool isSettled() const { return !m_reading; }
    void setWebhook(const std::string& url);
    void reload();

signals:
    void openRunRequested(const std::string& runId);
    void countChanged(int open);  ///< alerts that nobody acknowledged
    void webhookChosen(const std::string& url);
    void failed(const dailies::Error& error);

private:
    void display(std::vector<alerts::Alert> alerts);
    void acknowledge(bool all);

    std::filesystem::path m_storeFile;
    std::vector<alerts::Alert> m_alerts;
    bool m_reading = false;
    SnapshotTable* m_table;
    QLabel* m_none;
    QPushButton* m_acknowledge;
    QPushButton* m_acknowledgeAll;
    QLineEdit* m_webhook;
};

}  // namespace dailies::ui

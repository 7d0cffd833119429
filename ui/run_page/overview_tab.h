#pragma once

#include "ui/run_details/run_records.h"

#include <QScrollArea>

#include <optional>
#include <string>

class QLabel;
class QToolButton;

namespace dailies::ui {

class CertificateBadge;
class FactList;
class MessageList;

/// What a run is and how it goes, on one sheet: whether its layout was proven, time and pace, cluster,
/// trainer, latest metrics, messages. The messages of a run that is well are folded to the newest one.
class OverviewTab : public QScrollArea {
    Q_OBJECT

public:
    explicit OverviewTab(QWidget* parent = nullptr);
    void setRecords(const RunRecords& records, std::int64_t nowMs);

private:
    CertificateBadge* m_certificate;
    FactList* m_left;
    FactList* m_middle;
    void showMessages();

    QToolButton* m_fold;
    QLabel* m_newest;  ///< message, while the others are folded
    MessageList* m_messages;
    std::string m_runId;
    std::optional<bool> m_open;  ///< as a person wants it for this run; else by its state
    bool m_troubled = false;     ///< the run failed, or a message warns
};

}  // namespace dailies::ui

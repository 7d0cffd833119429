#pragma once

#include "ui/run_page/run_records.h"

#include <QScrollArea>

namespace dailies::ui {

class CertificateBadge;
class FactList;
class MessageList;

/// What a run is and how it goes, on one sheet: whether its layout was proven, time and pace, cluster,
/// trainer, latest metrics, messages.
class OverviewTab : public QScrollArea {
    Q_OBJECT

public:
    explicit OverviewTab(QWidget* parent = nullptr);
    void setRecords(const RunRecords& records, std::int64_t nowMs);

private:
    CertificateBadge* m_certificate;
    FactList* m_left;
    FactList* m_middle;
    MessageList* m_messages;
};

}  // namespace dailies::ui

#pragma once

#include "ui/run_page/run_records.h"

#include <QScrollArea>

namespace dailies::ui {

class FactList;
class MessageList;

/// What a run is and how it goes, on one sheet: time and pace, cluster, trainer, latest metrics, messages.
class OverviewTab : public QScrollArea {
    Q_OBJECT

public:
    explicit OverviewTab(QWidget* parent = nullptr);
    void setRecords(const RunRecords& records, std::int64_t nowMs);

private:
    FactList* m_left;
    FactList* m_middle;
    MessageList* m_messages;
};

}  // namespace dailies::ui

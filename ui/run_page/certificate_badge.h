#pragma once

#include "core/tracking/store.h"

#include <QFrame>

class QLabel;

namespace dailies::ui {

/// Whether a run's layout was proven before it trained: one line, with the details as its tooltip. Not there
/// for a run that proved none.
class CertificateBadge : public QFrame {
    Q_OBJECT

public:
    explicit CertificateBadge(QWidget* parent = nullptr);
    void setRun(const tracking::Run& run);

private:
    void showIcon();

    bool m_proven = false;
    QLabel* m_icon;
    QLabel* m_text;
};

}  // namespace dailies::ui

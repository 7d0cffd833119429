#pragma once

#include "core/base/error.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <string>

namespace dailies::ui {

class LogDialog;

/// What a person does with the log of Dailies itself (core/log): looks at it, copies it for a report, and has
/// it say more. For the GUI thread; the disk is touched on workers.
class LogActions : public QObject {
    Q_OBJECT

public:
    /// `facts`: versions and the system, with which a report begins. `remember`: how detailed it is to be is
    /// kept for the next session.
    LogActions(std::string facts, bool remember, QWidget* window);

    /// Opens the log (one at a time) and returns it; it deletes itself when it closes.
    LogDialog& show();
    /// Versions, the system and the last 200 lines, without secrets, to the clipboard: `notification` then.
    void copyReport();
    bool isDetailed() const;
    void setDetailed(bool detailed);  ///< at once, and in the sessions to come

signals:
    void notification(const QString& text);
    void failed(const dailies::Error& error);
    void detailedChanged(bool detailed);

private:
    std::string m_facts;
    bool m_remember;
    QWidget* m_window;
    QPointer<LogDialog> m_dialog;
};

}  // namespace dailies::ui

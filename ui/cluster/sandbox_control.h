#pragma once

#include "core/base/error.h"
#include "remote/sandbox/sandbox.h"

#include <QObject>
#include <QString>

namespace dailies::ui {

/// Starts and stops the sandbox cluster off the GUI thread and knows whether it runs.
class SandboxControl : public QObject {
    Q_OBJECT

public:
    explicit SandboxControl(QObject* parent = nullptr);

    bool running() const { return m_running; }
    bool busy() const { return m_busy; }

    void refresh();
    void start();  ///< `started`, also where it ran already, or `failed`
    void stop();

signals:
    void changed();
    void progress(const QString& line);
    void started(const dailies::remote::ClusterProfile& profile);
    void failed(const dailies::Error& error);

protected:
    void settle(bool running);

private:
    void fail(const Error& error);
    bool m_running = false;
    bool m_busy = false;
};

}  // namespace dailies::ui

#include "ui/cluster/sandbox_control.h"

#include "ui/bridge/run_async.h"

namespace dailies::ui {

namespace sandbox = remote::sandbox;

SandboxControl::SandboxControl(QObject* parent) : QObject(parent) {}

void SandboxControl::settle(bool running) {
    m_busy = false;
    m_running = running;
    emit changed();
}

void SandboxControl::fail(const Error& error) {
    settle(false);
    emit failed(error);
}

void SandboxControl::refresh() {
    if (m_busy) {
        return;
    }
    runAsync(
        this, [](std::stop_token) { return sandbox::status(sandbox::defaultFolder()).running; },
        [this](bool running) {
            if (!m_busy) {
                settle(running);
            }
        },
        [this](const Error& error) { fail(error); });
}

void SandboxControl::start() {
    if (m_busy) {
        return;
    }
    m_busy = true;
    emit changed();
    const QPointer<SandboxControl> self(this);
    runAsync(
        this,
        [self](std::stop_token stop) {
            sandbox::Options options;
            options.folder = sandbox::defaultFolder();
            return sandbox::up(options, [self, stop](const std::string& line) {
                if (stop.stop_requested()) {
                    throw Cancelled();
                }
                detail::postToGui([self, text = QString::fromStdString(line)] {
                    if (self) {
                        emit self->progress(text);
                    }
                });
            });
        },
        [this](const sandbox::Status& status) {
            settle(status.running);
            if (status.profile) {
                emit started(*status.profile);
            }
        },
        [this](const Error& error) { fail(error); });
}

void SandboxControl::stop() {
    if (m_busy) {
        return;
    }
    m_busy = true;
    emit changed();
    runAsync(
        this, [](std::stop_token) { sandbox::down(sandbox::defaultFolder()); }, [this] { settle(false); },
        [this](const Error& error) { fail(error); });
}

}  // namespace dailies::ui

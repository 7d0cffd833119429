#include "ui/main_window/log_actions.h"

#include "core/log/log.h"
#include "core/log/report.h"
#include "ui/bridge/run_async.h"
#include "ui/main_window/log_dialog.h"
#include "ui/main_window/settings.h"

#include <QApplication>
#include <QClipboard>

namespace dailies::ui {

LogActions::LogActions(std::string facts, bool remember, QWidget* window)
    : QObject(window), m_facts(std::move(facts)), m_remember(remember), m_window(window) {}

LogDialog& LogActions::show() {
    if (!m_dialog) m_dialog = new LogDialog(*this, m_window);
    m_dialog->show();
    m_dialog->raise();
    return *m_dialog;
}

void LogActions::copyReport() {
    runAsync(
        this,
        [facts = m_facts](std::stop_token) {
            log::flush();
            return log::reportText(facts);
        },
        [this](const std::string& text) {
            QApplication::clipboard()->setText(QString::fromStdString(text));
            emit notification(tr("Copied the last 200 lines of the log, with versions and without secrets"));
        },
        [this](const Error& error) { emit failed(error); });
}

bool LogActions::isDetailed() const {
    return log::level() == log::Level::Debug;
}

void LogActions::setDetailed(bool detailed) {
    if (detailed == isDetailed()) return;
    log::setLevel(detailed ? log::Level::Debug : log::Level::Info);
    log::info("window", detailed ? "the log is detailed from here on" : "the log is no longer detailed");
    emit detailedChanged(detailed);
    if (!m_remember) return;
    runAsync(
        this,
        [detailed](std::stop_token) {
            changeSettings([detailed](Settings& settings) { settings.detailedLog = detailed; });
        },
        [] {}, [this](const Error& error) { emit failed(error); });
}

}  // namespace dailies::ui

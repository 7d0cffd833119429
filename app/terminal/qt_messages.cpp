#include "app/terminal/qt_messages.h"

#include "core/log/log.h"

#include <QString>

namespace dailies::app {

namespace {

QtMessageHandler& previousHandler() {
    static QtMessageHandler handler = nullptr;
    return handler;
}

log::Level levelOf(QtMsgType type) {
    switch (type) {
        case QtDebugMsg:
            return log::Level::Debug;
        case QtInfoMsg:
            return log::Level::Info;
        case QtWarningMsg:
            return log::Level::Warning;
        case QtCriticalMsg:
        case QtFatalMsg:
            break;
    }
    return log::Level::Error;
}

void handleQtMessage(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (message.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not set")) ||
        message == QLatin1String("This plugin does not support propagateSizeHints()"))
        return;
    log::write(levelOf(type), "qt", message.toStdString());
    if (type == QtFatalMsg) log::flush();  // it ends the program
    previousHandler()(type, context, message);
}

}  // namespace

void handleQtMessages() {
    previousHandler() = qInstallMessageHandler(handleQtMessage);
}

}  // namespace dailies::app

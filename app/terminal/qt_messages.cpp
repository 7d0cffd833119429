#include "app/terminal/qt_messages.h"

#include <QString>

namespace dailies::app {

namespace {

QtMessageHandler& previousHandler() {
    static QtMessageHandler handler = nullptr;
    return handler;
}

void filterQtMessage(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (message.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not set")) ||
        message == QLatin1String("This plugin does not support propagateSizeHints()"))
        return;
    previousHandler()(type, context, message);
}

}  // namespace

void suppressQtWarnings() {
    previousHandler() = qInstallMessageHandler(filterQtMessage);
}

}  // namespace dailies::app

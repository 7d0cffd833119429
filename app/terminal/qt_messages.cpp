#include "app/terminal/qt_messages.h"

#include <QString>

namespace dailies::app {

namespace {

QtMessageHandler& toldBefore() {
    static QtMessageHandler handler = nullptr;
    return handler;
}

void tellUnlessOfTheSession(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (message.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not set")) ||
        message == QLatin1String("This plugin does not support propagateSizeHints()"))
        return;
    toldBefore()(type, context, message);
}

}  // namespace

void silenceSessionRemarks() {
    toldBefore() = qInstallMessageHandler(tellUnlessOfTheSession);
}

}  // namespace dailies::app

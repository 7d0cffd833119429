#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThread>

namespace dailies::ui {

/// Runs the event loop until the condition holds; false after five seconds (longer where a cluster must
/// answer).
template <typename Condition>
bool waitUntil(Condition condition, int milliseconds = 5000) {
    QElapsedTimer time;
    time.start();
    while (!condition()) {
        if (time.elapsed() > milliseconds) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QThread::msleep(1);
    }
    return true;
}

}  // namespace dailies::ui

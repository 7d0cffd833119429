#include "ui/bridge/run_async.h"

#include <QCoreApplication>
#include <QThreadPool>

namespace dailies::ui::detail {

namespace {

// Not Qt's global pool: its size is the number of cores, and our work mostly waits (disk, network).
constexpr int kWorkers = 6;

QThreadPool& workers() {
    static QThreadPool pool;
    static const bool prepared = [] {
        pool.setMaxThreadCount(kWorkers);
        // While the application object still takes events, so that a late result has somewhere to go.
        qAddPostRoutine([] { workers().waitForDone(); });
        return true;
    }();
    Q_UNUSED(prepared);
    return pool;
}

}  // namespace

void startOnWorker(std::function<void()> work) {
    workers().start(std::move(work));
}

void postToGui(std::function<void()> call) {
    QMetaObject::invokeMethod(QCoreApplication::instance(), std::move(call), Qt::QueuedConnection);
}

}  // namespace dailies::ui::detail

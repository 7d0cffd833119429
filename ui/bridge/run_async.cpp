#include "ui/bridge/run_async.h"

#include "core/base/thread_priority.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThreadPool>
#include <QTimer>

#include <deque>
#include <mutex>
#include <utility>

namespace dailies::ui::detail {

namespace {

// Not Qt's global pool: its size is the number of cores, and our work mostly waits (disk, network).
constexpr int kWorkers = 6;
constexpr qint64 kTurnMs = 3;  ///< what arrives together may take this of a frame; the rest comes in the next

/// What was posted and not called yet. Qt hands out all posted events in one go, with those that come
/// meanwhile: ten charts that were drawn at once would hold up the pointer for as long as all ten take.
struct Arrivals {
    std::mutex mutex;
    std::deque<std::function<void()>> calls;
    bool awaited = false;  ///< `callSome` is to be called, or to be called again
};

Arrivals& arrivals() {
    static Arrivals arrivals;
    return arrivals;
}

void forgetArrivals() {
    const std::lock_guard lock(arrivals().mutex);
    arrivals().calls.clear();
    arrivals().awaited = false;
}

void callSome() {
    QElapsedTimer time;
    time.start();
    bool first = true;
    do {
        std::function<void()> call;
        {
            const std::lock_guard lock(arrivals().mutex);
            if (arrivals().calls.empty()) {
                arrivals().awaited = !first;
                return;
            }
            call = std::move(arrivals().calls.front());
            arrivals().calls.pop_front();
        }
        if (first) {
            // A timer's turn comes after the events that wait, painting among them. It is set before the
            // call, which may open a dialog with an event loop of its own.
            QTimer::singleShot(0, QCoreApplication::instance(), callSome);
            first = false;
        }
        call();
    } while (time.elapsed() < kTurnMs);
}

QThreadPool& workers() {
    static QThreadPool pool;
    static const bool prepared = [] {
        pool.setMaxThreadCount(kWorkers);
        // While the application object still takes events, so that a late result has somewhere to go.
        qAddPostRoutine([] {
            workers().waitForDone();
            forgetArrivals();
        });
        return true;
    }();
    Q_UNUSED(prepared);
    return pool;
}

}  // namespace

void startOnWorker(std::function<void()> work) {
    workers().start([work = std::move(work)] {
        static thread_local const bool polite = (lowerThreadPriority(), true);  // the GUI thread goes first
        Q_UNUSED(polite);
        work();
    });
}

void postToGui(std::function<void()> call) {
    {
        const std::lock_guard lock(arrivals().mutex);
        arrivals().calls.push_back(std::move(call));
        if (std::exchange(arrivals().awaited, true)) {
            return;
        }
    }
    QMetaObject::invokeMethod(QCoreApplication::instance(), callSome, Qt::QueuedConnection);
}

}  // namespace dailies::ui::detail

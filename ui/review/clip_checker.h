#pragma once

#include <QObject>

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace dailies::tracking {
class Writer;
}

namespace dailies::ui {

/// Checks clips as they arrive (core/quality), those of the newest run first, on one thread that gives way to
/// all others, and keeps what was found in the store, where everybody who follows the store sees it. What
/// remains when the program ends is checked after its next start. GUI thread only.
class ClipChecker : public QObject {
    Q_OBJECT

public:
    explicit ClipChecker(std::filesystem::path storeFile, QObject* parent = nullptr);
    ~ClipChecker() override;

    bool isIdle() const;  ///< nothing is left to check, as far as is known

public slots:
    void checkNow();  ///< the store has changed: clips may have arrived

signals:
    void checked(int clips);              ///< so many more are in the store
    void failed(const QString& message);  ///< the store cannot be read or written; looks again when asked to

private:
    void work(const std::stop_token& stop);
    int checkSome(const std::stop_token& stop);
    void tell(std::function<void()> onGui);

    const std::filesystem::path m_storeFile;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    tracking::Writer* m_writer = nullptr;  ///< that of all pages; lives as long as the application
    bool m_look = false;
    bool m_busy = false;
    std::jthread m_thread;  ///< last: it ends before the rest goes
};

}  // namespace dailies::ui

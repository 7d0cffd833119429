#pragma once

#include "core/tracking/store.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace dailies::tracking {

/// The thread on which a program writes to its store. Work is done in the order in which it was posted, each
/// in full; while there is none, the curves are kept up to date with what other programs (MLflow) log. All
/// functions may be called from any thread and never wait for the store, but `stop` and the destructor.
class Writer {
public:
    /// Opens the file on the thread. If that fails, every work fails with the same message, and the next one
    /// tries again.
    explicit Writer(std::filesystem::path file);
    ~Writer();  ///< as `stop`
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Does `work(Store&)` on the thread. What it returns or throws arrives in the future, which need not be
    /// kept. After `stop` the future holds an `Error`.
    template <class Work>
    auto post(Work work) -> std::future<std::invoke_result_t<Work&, Store&>> {
        using Result = std::invoke_result_t<Work&, Store&>;
        auto task = std::make_shared<std::packaged_task<Result()>>(
            [this, work = std::move(work)]() mutable { return work(opened()); });
        auto future = task->get_future();
        push([task] { (*task)(); });
        return future;
    }

    /// As above, for those who do not wait: hands the future, ready, to `then` on the thread (after `stop`,
    /// on the caller's). `then` must not throw.
    template <class Work, class Then>
    void post(Work work, Then then) {
        using Result = std::invoke_result_t<Work&, Store&>;
        auto task = std::make_shared<std::packaged_task<Result()>>(
            [this, work = std::move(work)]() mutable { return work(opened()); });
        push([task, then = std::move(then)]() mutable {
            (*task)();
            then(task->get_future());
        });
    }

    /// Does all that was posted, then ends the thread.
    void stop();

private:
    void push(std::function<void()> job);
    void loop();
    void maintainCurves(const std::stop_token& stop);
    Store& opened();

    std::filesystem::path m_file;
    std::optional<Store> m_store;        // of the thread
    std::int64_t m_preparedVersion = 0;  // of the thread
    std::stop_source m_preparing;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::function<void()>> m_jobs;
    bool m_stopping = false;
    std::mutex m_ending;
    std::thread m_thread;
};

}  // namespace dailies::tracking

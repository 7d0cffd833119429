#pragma once

#include "core/base/error.h"

#include <QObject>
#include <QPointer>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

namespace dailies::ui {

/// A call under way on a worker thread. Copies refer to the same call; dropping the handle changes nothing.
class AsyncTask {
public:
    AsyncTask() = default;
    explicit AsyncTask(std::stop_source stop) : m_stop(std::move(stop)) {}

    /// Asks the work to stop and drops whatever it still brings: neither callback is called after this
    /// returns.
    void cancel() { m_stop.request_stop(); }

private:
    std::stop_source m_stop{std::nostopstate};
};

namespace detail {

/// Runs on one of a few worker threads; the application waits for them before it ends.
void startOnWorker(std::function<void()> work);
/// Runs on the GUI thread, later; any thread.
void postToGui(std::function<void()> call);

}  // namespace detail

/// Runs `work(std::stop_token) -> T` on a worker thread, then calls `done(T)` (or `done()` for void) on the
/// GUI thread; when the work throws, `failed(const Error&)` instead, and neither when it throws `Cancelled`.
///
/// Call from the GUI thread, where `context` must live. When `context` dies the work is asked to stop and its
/// result is dropped, so callbacks may use `context` freely. The work must not touch it.
template <typename Work, typename Done, typename Failed>
AsyncTask runAsync(QObject* context, Work work, Done done, Failed failed) {
    using Result = std::invoke_result_t<Work&, std::stop_token>;
    using Stored = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;

    std::stop_source stop;
    const auto onDeath =
        QObject::connect(context, &QObject::destroyed, [stop]() mutable { stop.request_stop(); });
    const QPointer<QObject> guard(context);

    detail::startOnWorker(
        [=, work = std::move(work), done = std::move(done), failed = std::move(failed)]() mutable {
            // Shared, because std::function copies and a result need not be copyable.
            auto result = std::make_shared<std::optional<Stored>>();
            std::optional<Error> error;
            try {
                if constexpr (std::is_void_v<Result>) {
                    work(stop.get_token());
                    result->emplace();
                } else {
                    result->emplace(work(stop.get_token()));
                }
            } catch (const Cancelled&) {
                stop.request_stop();
            } catch (const Error& e) {
                error = e;
            } catch (const std::exception& e) {
                error = Error(e.what());
            }
            detail::postToGui([=]() mutable {
                QObject::disconnect(onDeath);
                if (!guard || stop.stop_requested()) {
                    return;
                }
                if (error) {
                    failed(*error);
                } else if constexpr (std::is_void_v<Result>) {
                    done();
                } else {
                    done(std::move(**result));
                }
            });
        });
    return AsyncTask(stop);
}

}  // namespace dailies::ui

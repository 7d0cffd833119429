#pragma once

#include "core/tracking/writer.h"
#include "ui/bridge/run_async.h"

#include <filesystem>
#include <future>

namespace dailies::ui {

/// The one thread on which pages write to this store, and which keeps its curves up to date with what other
/// programs log. Begins with the first call and goes on until the application ends, which waits for all that
/// was posted. GUI thread.
tracking::Writer& storeWriter(const std::filesystem::path& file);

/// Changes the tracking store: `work(tracking::Store&) -> T` on `storeWriter`, then `done(T)` (or `done()`
/// for void) on the GUI thread; when the work throws or the file cannot be written, `failed(const Error&)`
/// instead. Changes are made in the order of the calls, and those of a `context` that died are made as well,
/// though nobody is told. GUI thread.
template <typename Work, typename Done, typename Failed>
void writeStore(QObject* context, const std::filesystem::path& file, Work work, Done done, Failed failed) {
    using Result = std::invoke_result_t<Work&, tracking::Store&>;
    using Stored = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;
    auto told = [guard = QPointer<QObject>(context), done = std::move(done),
                 failed = std::move(failed)](std::future<Result>& result) mutable {
        std::optional<Stored> value;
        std::optional<Error> error;
        try {
            if constexpr (std::is_void_v<Result>) {
                result.get();
            } else {
                value = result.get();
            }
        } catch (const Error& e) {
            error = e;
        } catch (const std::exception& e) {
            error = Error(e.what());
        }
        if (!guard) {
            return;
        }
        if (error) {
            failed(*error);
        } else if constexpr (std::is_void_v<Result>) {
            done();
        } else {
            done(std::move(*value));
        }
    };
    storeWriter(file).post(std::move(work), [told](std::future<Result> result) {
        // Shared, because std::function copies and a future cannot be copied.
        detail::postToGui([told, shared = std::make_shared<std::future<Result>>(
                                     std::move(result))]() mutable { told(*shared); });
    });
}

}  // namespace dailies::ui

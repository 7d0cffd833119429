#pragma once

#include "core/tracking/store.h"
#include "ui/bridge/run_async.h"

#include <filesystem>

namespace dailies::ui {

/// `runAsync` whose work reads the tracking store: `work(const tracking::Store&, std::stop_token) -> T`. Each
/// call opens a connection of its own (about a millisecond), since a Store belongs to one thread. A file that
/// does not exist yet gives a default-constructed T.
template <typename Work, typename Done, typename Failed>
AsyncTask readStore(QObject* context, const std::filesystem::path& file, Work work, Done done,
                    Failed failed) {
    using Result = std::invoke_result_t<Work&, const tracking::Store&, std::stop_token>;
    return runAsync(
        context,
        [file, work = std::move(work)](std::stop_token stop) mutable -> Result {
            if (!std::filesystem::exists(file)) {
                return Result{};
            }
            const tracking::Store store(file, tracking::Store::Mode::ReadOnly);
            return work(store, stop);
        },
        std::move(done), std::move(failed));
}

}  // namespace dailies::ui

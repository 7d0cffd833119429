#pragma once

#include "core/tracking/store.h"
#include "ui/bridge/run_async.h"

#include <filesystem>

namespace dailies::ui {

/// `runAsync` whose work changes the tracking store: `work(tracking::Store&) -> T`. Each call opens a
/// connection of its own and waits its turn behind other writers (SQLite's own queue, up to 20 s); `failed`
/// says why a file cannot be written. Several calls under way at once may commit in any order: start the next
/// from `done` where the order matters.
template <typename Work, typename Done, typename Failed>
AsyncTask writeStore(QObject* context, const std::filesystem::path& file, Work work, Done done,
                     Failed failed) {
    return runAsync(
        context,
        [file, work = std::move(work)](std::stop_token) mutable {
            tracking::Store store(file);
            return work(store);
        },
        std::move(done), std::move(failed));
}

}  // namespace dailies::ui

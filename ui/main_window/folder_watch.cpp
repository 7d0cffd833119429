#include "ui/main_window/folder_watch.h"

#include "core/base/ids.h"
#include "core/base/sleep.h"
#include "core/log/log.h"
#include "core/tracking/store.h"
#include "core/tracking/store_interrupt.h"
#include "remote/follow/folder_watcher.h"
#include "remote/follow/run_folders.h"
#include "ui/widgets/choose_path.h"

#include <algorithm>
#include <chrono>

namespace dailies::ui {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPause = 1s, kAfterFailure = 30s;

bool holdsRuns(const fs::path& folder, std::stop_token stop) {
    std::vector<std::string> names;
    const remote::ReadFiles root{.runId = newId(), .folder = folder.string()};
    for (auto& file : remote::localFiles()({root}, remote::Bring::Names, std::move(stop)))
        names.push_back(std::move(file.path));
    return !remote::runFolders(names).empty();
}

struct Sorted {
    std::vector<fs::path> withRuns, others;
};

Sorted sorted(const std::vector<fs::path>& paths, const std::stop_token& stop) {
    Sorted sorted;
    for (const auto& path : paths) {
        const auto absolute = fs::canonical(path);
        const bool hasRuns = fs::is_directory(absolute) && holdsRuns(absolute, stop);
        (hasRuns ? sorted.withRuns : sorted.others).push_back(absolute);
    }
    return sorted;
}

}  // namespace

FolderWatch::FolderWatch(fs::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)) {}

FolderWatch::~FolderWatch() {
    for (auto& [folder, watched] : m_watched) watched.thread.request_stop();  // all, before one is waited for
    m_watched.clear();
}

void FolderWatch::open(const std::vector<fs::path>& paths) {
    m_task.cancel();
    m_isOpening = true;
    m_task = runAsync(
        this, [paths](const std::stop_token& stop) { return sorted(paths, stop); },
        [this](const Sorted& sorted) {
            m_isOpening = false;
            for (const auto& folder : sorted.withRuns) watch(folder);
            if (!sorted.others.empty()) emit withoutRuns(sorted.others);
        },
        [this](const Error& error) {
            m_isOpening = false;
            emit failed(error);
        });
}

void FolderWatch::choose(QWidget& window) {
    chooseFolder(window, tr("Folder of runs or clips"),
                 [this](const QString& folder) { open({folder.toStdString()}); });
}

void FolderWatch::watch(const fs::path& folder) {
    if (const auto known = m_watched.find(folder); known != m_watched.end()) {
        if (!known->second.runIds.empty()) emit found(known->second.runIds);
        return;
    }
    m_watched[folder].thread =
        std::jthread([this, folder](const std::stop_token& stop) { follow(folder, stop); });
}

void FolderWatch::follow(const fs::path& folder, const std::stop_token& stop) {
    const auto post = [&](auto onGui) { QMetaObject::invokeMethod(this, onGui, Qt::QueuedConnection); };
    bool isFirst = true;
    for (bool hasFailed = false; !stop.stop_requested();) {
        try {
            tracking::Store store(m_storeFile);
            tracking::interruptOnStop(store, stop);
            remote::FolderWatcher watcher(remote::localFiles(), store, {folder.string()}, {});
            for (;;) {
                const auto report = watcher.poll(stop);
                hasFailed = false;
                if (std::exchange(isFirst, false))
                    post([this, folder, runs = report.newRuns] {
                        m_watched[folder].runIds = runs;
                        emit found(runs);
                    });
                sleepUnlessStopped(kPause, stop);
            }
        } catch (const Cancelled&) {
            return;
        } catch (const Error& error) {
            log::error("watch", error.full());
            if (!std::exchange(hasFailed, true)) post([this, error] { emit failed(error); });
        }
        try {
            sleepUnlessStopped(kAfterFailure, stop);
        } catch (const Cancelled&) {
            return;
        }
    }
}

}  // namespace dailies::ui

#include "app/commands/command.h"
#include "app/commands/open_window.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/sleep.h"
#include "core/base/text.h"
#include "core/log/log.h"
#include "core/rules/source_rules.h"
#include "core/tracking/store_interrupt.h"
#include "remote/cluster/environment_script.h"
#include "remote/follow/folder_watcher.h"
#include "remote/follow/follow.h"
#include "remote/ssh/session_error.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

namespace dailies::app {

namespace {

constexpr auto kLocalPause = std::chrono::seconds(1), kClusterPause = std::chrono::seconds(5);
constexpr auto kLongestWait = std::chrono::seconds(60);

struct WatchOptions {
    std::filesystem::path store;
    std::vector<std::string> folders;
    rules::SourceRules rules;
    bool once = false, noWindow = false;
};

/// The folders of one machine: a cluster, or this one ("").
using Places = std::map<std::string, std::vector<std::string>>;

Places placesOf(const std::vector<std::string>& given) {
    Places places;
    const auto profiles = loadProfiles();
    for (const std::string& place : given) {
        const auto colon = place.find(':');
        const bool isCluster = colon != std::string::npos && colon > 0 && !std::filesystem::exists(place) &&
                               profiles.find(place.substr(0, colon));
        if (isCluster) {
            places[place.substr(0, colon)].push_back(place.substr(colon + 1));
            continue;
        }
        std::error_code failure;
        const auto folder = std::filesystem::canonical(place, failure);
        if (failure || !std::filesystem::is_directory(folder))
            throw InputError("There is no folder " + sanitizedText(place) + " on this machine.",
                             "Name a folder, or CLUSTER:FOLDER; `dailies clusters` lists the clusters.");
        places[""].push_back(folder.string());
    }
    return places;
}

/// As the cluster spells them: absolute, without links.
std::vector<std::string> resolved(remote::Cluster& cluster, const std::vector<std::string>& folders,
                                  std::stop_token stop) {
    std::vector<std::string> found;
    for (const std::string& folder : folders) {
        const auto result = cluster.session().run("cd -- " + remote::shellPath(folder) + " && pwd -P", stop);
        if (!result.ok())
            throw InputError("There is no folder " + sanitizedText(folder) + " on cluster '" +
                                 cluster.profile().name + "', or you may not enter it.",
                             "`dailies files ls CLUSTER:FOLDER` shows what is there.");
        found.emplace_back(trim(std::string_view(result.out)));
    }
    return found;
}

/// Follows the folders of one machine, each round in `told`, until stopped, or for one round.
class Watch {
public:
    Watch(const WatchOptions& options, std::string cluster, std::vector<std::string> folders)
        : m_options(options), m_cluster(std::move(cluster)), m_folders(std::move(folders)) {}

    void run(std::stop_token stop) {
        tracking::Store store(m_options.store);
        tracking::interruptOnStop(store, stop);
        if (m_cluster.empty()) {
            remote::FolderWatcher watcher(
                remote::localFiles(), store, m_folders,
                {.rules = m_options.rules, .mirror = remote::mirrorFolder(m_options.store)});
            rounds(watcher, kLocalPause, stop);
            return;
        }
        for (auto wait = kClusterPause;; wait = std::min(2 * wait, std::chrono::seconds(kLongestWait))) {
            try {
                const auto cluster = connect(chooseProfile(m_cluster), stop);
                remote::FolderWatcher watcher(remote::clusterFiles(cluster->session(), {}), store,
                                              resolved(*cluster, m_folders, stop),
                                              {.cluster = m_cluster,
                                               .rules = m_options.rules,
                                               .mirror = remote::mirrorFolder(m_options.store)});
                rounds(watcher, kClusterPause, stop, [&] { wait = kClusterPause; });
                return;
            } catch (const remote::ssh::SessionError& error) {
                if (m_options.once || !m_wasConnected || !remote::ssh::isConnectionError(error)) throw;
                say(std::string(error.what()) + " Trying again in " + durationText(wait.count() * 1000) +
                    ".");
                sleepUnlessStopped(wait, stop);
            }
        }
    }

private:
    void rounds(
        remote::FolderWatcher& watcher, std::chrono::milliseconds pause, std::stop_token stop,
        const std::function<void()>& done = [] {}) {
        while (!stop.stop_requested()) {
            const auto report = watcher.poll(stop);
            m_wasConnected = true;
            done();
            if (!report.newRuns.empty() || m_isFirst)
                say((m_cluster.empty() ? "" : m_cluster + ": ") + pluralize(report.runs, "run", "runs") +
                    ", " + grouped(report.activeRuns) + " active");
            m_isFirst = false;
            if (m_options.once) return;
            sleepUnlessStopped(pause, stop);
        }
    }

    const WatchOptions& m_options;
    std::string m_cluster;
    std::vector<std::string> m_folders;
    bool m_wasConnected = false, m_isFirst = true;
};

/// Every machine on a thread of its own; what one throws ends all, and is thrown.
void watchAll(const WatchOptions& options, const Places& places, std::stop_token stop) {
    std::mutex mutex;
    std::exception_ptr failure;
    std::stop_source all;
    const std::stop_callback forward(stop, [&] { all.request_stop(); });
    std::vector<std::jthread> threads;
    for (const auto& [cluster, folders] : places)
        threads.emplace_back([&, cluster = cluster, folders = folders] {
            try {
                Watch(options, cluster, folders).run(all.get_token());
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure && !all.stop_requested()) failure = std::current_exception();
                all.request_stop();
            }
        });
    threads.clear();
    if (failure) std::rethrow_exception(failure);
}

int watchFolders(const WatchOptions& options, const WindowOpener& window, std::stop_token stop) {
    try {
        rules::check(options.rules);
    } catch (const InputError& error) {
        throw InputError("--" + std::string(error.what()), error.remedy());
    }
    const auto places = placesOf(options.folders);
    if (options.once || options.noWindow || !hasDisplay()) {
        if (!options.once) say("Following until Ctrl+C.");
        watchAll(options, places, stop);
        return 0;
    }
    std::jthread watching([&](std::stop_token own) {
        std::stop_source all;
        const std::stop_callback byUser(stop, [&] { all.request_stop(); });
        const std::stop_callback byWindow(own, [&] { all.request_stop(); });
        try {
            watchAll(options, places, all.get_token());
        } catch (const Error& error) {
            log::error("watch", error.full());
            say(error.full());
        } catch (const Cancelled&) {
        }
    });
    return window.open({.store = options.store, .page = ui::Page::Runs});
}

}  // namespace

void addWatchCommand(CLI::App& app, Context& context, const WindowOpener& window) {
    auto options = std::make_shared<WatchOptions>();
    auto* command = app.add_subcommand(
        "watch",
        "Follow every run below a folder, whatever wrote it: TensorBoard, W&B, MLflow, CSV, JSON, logs");
    command
        ->add_option("folders", options->folders,
                     "Folders of this machine, or of a cluster as CLUSTER:FOLDER")
        ->required()
        ->type_name("[CLUSTER:]FOLDER");
    command
        ->add_option(
            "--output", options->rules.output,
            "How the programs print their metrics: a regular expression with groups named step and by "
            "the metrics, or name and value")
        ->type_name("REGEX");
    command
        ->add_option(
            "--clips", options->rules.clips,
            "How the programs name their videos, such as samples/{step}/{prompt}_{seed}.mp4; may be given "
            "again for others")
        ->type_name("PATTERN")
        ->expected(1)
        ->take_all();
    command->add_flag("--once", options->once, "Read what is there and end");
    command->add_flag("--no-window", options->noWindow, "Follow until Ctrl+C and open no window");
    addStoreOption(*command, options->store);
    command->callback([options, &context, window] {
        context.action = [options, &context, window] { return watchFolders(*options, window, context.stop); };
    });
}

}  // namespace dailies::app

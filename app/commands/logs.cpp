#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/sleep.h"
#include "core/base/text.h"
#include "remote/follow/log_mirror.h"

#include <chrono>
#include <iostream>

namespace dailies::app {

namespace {

struct LogsOptions {
    std::filesystem::path store;
    std::string run;
    bool following = false;
};

/// What was brought here while the cluster could be reached; false: nothing.
bool printCopy(const tracking::Store& store, const std::string& runId) {
    const auto job = remote::newestJob(store, *store.run(runId));
    if (job.empty()) return false;
    const auto file = remote::mirroredLog(remote::mirrorFolder(store.file()), runId, job);
    if (!std::filesystem::exists(file)) return false;
    std::cout << sanitizedText(readFile(file)) << std::flush;
    return true;
}

int printLog(const LogsOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    const std::string runId = resolveRunId(store, options.run);
    std::unique_ptr<remote::Cluster> cluster;
    try {
        cluster = connectToClusterOf(store, runId, stop);
    } catch (const Error& error) {
        if (options.following || !printCopy(store, runId)) throw;
        say(std::string(error.what()) + " This is the copy on this computer.");
        return 0;
    }
    remote::FollowService service(
        *cluster, store, std::make_shared<remote::PollRateLimiter>(cluster->profile().callsPerMinute));
    service.poll(stop);  // the newest attempt may be one that this database has not seen
    std::int64_t offset = options.following ? -1 : 0;
    for (bool any = false;;) {
        const auto text = remote::readLog(*cluster, store, runId, offset);
        std::cout << text << std::flush;
        any = any || !text.empty();
        if (!text.empty()) continue;
        if (!options.following || !isActive(store.run(runId)->status)) {
            if (!any && !printCopy(store, runId)) say("This run has written no log.");
            return 0;
        }
        sleepUnlessStopped(std::chrono::seconds(1), stop);
        if (remote::FollowService::Clock::now() >= service.nextPoll()) service.poll(stop);
    }
}

}  // namespace

void addLogsCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<LogsOptions>();
    auto* command = app.add_subcommand("logs", "Print the log of a run's newest attempt");
    command->add_option("run", options->run, "Run id, id prefix, or name")->required();
    command->add_flag("--follow", options->following, "Go on until the run ends");
    addStoreOption(*command, options->store);
    command->callback([options, &context] {
        context.action = [options, &context] { return printLog(*options, context.stop); };
    });
}

}  // namespace dailies::app

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"

#include <chrono>
#include <iostream>
#include <thread>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string run;
    bool following = false;
};

int printLog(const Words& words, std::stop_token stop) {
    tracking::Store store(words.store);
    const std::string runId = chooseRun(store, words.run);
    const auto cluster = connectToClusterOf(store, runId, stop);
    remote::Follower follower(*cluster, store, remote::mirrorFolder(store.file()));
    follower.pollOnce(stop);  // the newest attempt may be one that this database has not seen
    std::int64_t offset = words.following ? -1 : 0;
    for (;;) {
        const auto text = remote::readLog(*cluster, store, runId, offset);
        std::cout << text << std::flush;
        if (!text.empty()) continue;
        if (!words.following || !isActive(store.run(runId)->status)) return 0;
        std::this_thread::sleep_for(std::chrono::seconds(1));
        follower.pollOnce(stop);
    }
}

}  // namespace

void addLogsCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command = app.add_subcommand("logs", "Print the log of a run's newest attempt");
    command->add_option("run", words->run, "Run id, its beginning, or its name")->required();
    command->add_flag("--follow", words->following, "Go on until the run ends");
    addStoreOption(*command, words->store);
    command->callback(
        [words, &context] { context.action = [words, &context] { return printLog(*words, context.stop); }; });
}

}  // namespace dailies::app

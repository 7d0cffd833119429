#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/text.h"

#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string run, what = "clips";
};

int pull(const Words& words, std::stop_token stop) {
    tracking::Store store(words.store);
    const std::string runId = chooseRun(store, words.run);
    const auto cluster = connectToClusterOf(store, runId, stop);
    const auto what = words.what == "clips"         ? remote::Pull::Clips
                      : words.what == "checkpoints" ? remote::Pull::Checkpoints
                                                    : remote::Pull::All;
    const auto mirror = remote::mirrorFolder(store.file());
    const int files = remote::pullRun(*cluster, store, mirror, runId, what, say, stop);
    std::cerr << files << " new files; the run's files are in\n";
    std::cout << (mirror / runId).string() << '\n';
    return 0;
}

}  // namespace

void addPullCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command =
        app.add_subcommand("pull", "Copy a run's files from the cluster; prints the folder that holds them");
    command->add_option("run", words->run, "Run id, its beginning, or its name")->required();
    command->add_option("what", words->what, "clips, checkpoints or all")
        ->check(CLI::IsMember({"clips", "checkpoints", "all"}));
    addStoreOption(*command, words->store);
    command->callback(
        [words, &context] { context.action = [words, &context] { return pull(*words, context.stop); }; });
}

}  // namespace dailies::app

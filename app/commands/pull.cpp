#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/text.h"

#include <iostream>

namespace dailies::app {

namespace {

struct PullOptions {
    std::filesystem::path store;
    std::string run, what = "clips";
};

int pull(const PullOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    const std::string runId = resolveRunId(store, options.run);
    const auto cluster = connectToClusterOf(store, runId, stop);
    const auto what = options.what == "clips"         ? remote::PullScope::Clips
                      : options.what == "checkpoints" ? remote::PullScope::Checkpoints
                                                      : remote::PullScope::All;
    const auto mirror = remote::mirrorFolder(store.file());
    const int files = remote::pullRun(*cluster, store, mirror, runId, what, say, stop);
    std::cerr << files << " new files; the run's files are in\n";
    std::cout << (mirror / runId).string() << '\n';
    return 0;
}

}  // namespace

void addPullCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<PullOptions>();
    auto* command =
        app.add_subcommand("pull", "Copy a run's files from the cluster; prints the folder that holds them");
    command->add_option("run", options->run, "Run id, id prefix, or name")->required();
    command->add_option("what", options->what, "clips, checkpoints or all")
        ->check(CLI::IsMember({"clips", "checkpoints", "all"}));
    addStoreOption(*command, options->store);
    command->callback([options, &context] {
        context.action = [options, &context] { return pull(*options, context.stop); };
    });
}

}  // namespace dailies::app

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"

#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string cluster;
    bool once = false;
};

int catchUp(const Words& words, std::stop_token stop) {
    tracking::Store store(words.store);
    const auto profile = chooseProfile(words.cluster);
    follow(profile, nullptr, store, stop, [&](const remote::FollowReport& report) {
        if (report.newEvents > 0 || report.newClips > 0 || words.once)
            std::cerr << "  " << report.newEvents << " events, " << report.newClips << " clips, "
                      << report.activeRuns << " runs still active\n";
        return words.once || report.activeRuns == 0;
    });
    return 0;
}

}  // namespace

void addFollowCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command =
        app.add_subcommand("follow", "Bring the database up to date with a cluster until no run is active");
    command->add_option("--cluster", words->cluster, "Cluster profile")->type_name("NAME");
    command->add_flag("--once", words->once, "One round only");
    addStoreOption(*command, words->store);
    command->callback(
        [words, &context] { context.action = [words, &context] { return catchUp(*words, context.stop); }; });
}

}  // namespace dailies::app

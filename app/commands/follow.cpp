#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/launch_preview.h"
#include "core/base/text.h"

#include <iostream>
#include <set>

namespace dailies::app {

namespace {

struct FollowOptions {
    std::filesystem::path store;
    std::string cluster;
    bool once = false;
};

int catchUp(const FollowOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    const auto profile = chooseProfile(options.cluster);
    std::set<std::string> decided;  // sweeps that stopped or proposed runs
    remote::FollowTask task{.once = options.once};
    task.done = [&](const remote::FollowReport& report) {
        if (report.newEvents > 0 || report.newClips > 0 || options.once)
            std::cerr << "  " << report.newEvents << " events, " << report.newClips << " clips, "
                      << report.activeRuns << " runs still active\n";
        sayDecisions(report);
        decided.insert(report.changedSweeps.begin(), report.changedSweeps.end());
        return report.activeRuns == 0 && isComplete(report);
    };
    follow(profile, nullptr, store, std::move(task), stop);
    for (const auto& sweep : decided) printSummary(remote::summarize(store, sweep));
    return 0;
}

}  // namespace

void addFollowCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<FollowOptions>();
    auto* command =
        app.add_subcommand("follow", "Bring the database up to date with a cluster until no run is active");
    command->add_option("--cluster", options->cluster, "Cluster profile")->type_name("NAME");
    command->add_flag("--once", options->once, "One round only");
    addStoreOption(*command, options->store);
    command->callback([options, &context] {
        context.action = [options, &context] { return catchUp(*options, context.stop); };
    });
}

}  // namespace dailies::app

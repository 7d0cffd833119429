#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/launch_preview.h"
#include "core/base/text.h"

#include <iostream>
#include <set>

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
    std::set<std::string> decided;  // sweeps that stopped or proposed runs
    follow(profile, nullptr, store, stop, [&](const remote::FollowReport& report) {
        if (report.newEvents > 0 || report.newClips > 0 || words.once)
            std::cerr << "  " << report.newEvents << " events, " << report.newClips << " clips, "
                      << report.activeRuns << " runs still active\n";
        for (const auto& note : report.notes) say(note);
        decided.insert(report.decidedSweeps.begin(), report.decidedSweeps.end());
        return words.once || (report.activeRuns == 0 && report.runsToCome == 0 && !report.moreClips);
    });
    for (const auto& sweep : decided) saySummary(remote::summarize(store, sweep));
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

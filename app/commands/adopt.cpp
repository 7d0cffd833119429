#include "remote/launch/adopt.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#include <algorithm>
#include <iostream>

// Runs in the workspace that another store launched.

namespace dailies::app {

namespace {

struct AdoptOptions {
    std::filesystem::path store;
    std::string cluster, format;
    std::vector<std::string> runs;
    bool all = false;
};

Json sweepJson(const remote::UntrackedSweep& sweep) {
    Json runs = Json::array();
    for (const auto& run : sweep.runs) runs.push_back({{"run_id", run.id}, {"name", run.name}});
    return {{"sweep_id", sweep.id},
            {"name", sweep.name},
            {"time", sweep.createdMs / 1000},
            {"runs", std::move(runs)}};
}

void list(const std::vector<remote::UntrackedSweep>& found, const std::string& format) {
    if (format == "json") {
        Json all = Json::array();
        for (const auto& sweep : found) all.push_back(sweepJson(sweep));
        printJson(all);
        return;
    }
    if (found.empty()) {
        std::cout << "Everything in the workspace is in this database already.\n";
        return;
    }
    Table table({"sweep", "name", "launched", "runs"});
    for (const auto& sweep : found) {
        const auto age = durationText(std::max<std::int64_t>(unixMillis() - sweep.createdMs, 1000));
        std::vector<std::string> names;
        for (const auto& run : sweep.runs) names.push_back(sanitizedText(run.name));
        constexpr std::size_t kShown = 4;
        const auto more = names.size() - std::min(names.size(), kShown);
        names.resize(std::min(names.size(), kShown));
        table.add({sweep.id.substr(0, 8), sanitizedText(sweep.name), age + " ago",
                   std::to_string(sweep.runs.size()) + ": " + join(names, ", ") + (more > 0 ? ", …" : "")});
    }
    table.print(std::cout);
    std::cerr << "`dailies adopt SWEEP…` takes these up, `dailies adopt --all` all of them.\n";
}

int act(const AdoptOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    const auto profile = chooseProfile(options.cluster);
    auto cluster = connect(profile, stop);
    auto found = remote::findUntrackedSweeps(*cluster, store, stop);
    if (options.runs.empty() && (found.empty() || !options.all)) {
        list(found, options.format);
        return 0;
    }
    if (!options.runs.empty()) found = remote::selectUntracked(found, options.runs);
    const auto adoption = remote::adopt(*cluster, store, found, stop);
    for (const auto& note : adoption.notes) say(note);
    if (options.format == "json") printJson({{"run_ids", adoption.runIds}});
    std::cerr << "Adopted " << adoption.runIds.size() << (adoption.runIds.size() == 1 ? " run" : " runs")
              << (found.size() == 1 ? " of 1 sweep" : " of " + std::to_string(found.size()) + " sweeps")
              << ".\n";
    if (adoption.runIds.empty()) return options.runs.empty() ? 0 : 1;
    // What they logged so far; `dailies follow` goes on with those that run.
    remote::FollowTask task{.once = true, .watchIfFollowed = true};
    task.done = [](const remote::FollowReport& report) {
        std::cerr << "  " << report.newEvents << " events, " << report.newClips << " clips, "
                  << report.activeRuns << (report.activeRuns == 1 ? " run" : " runs") << " still active\n";
        return true;
    };
    follow(profile, std::move(cluster), store, std::move(task), stop);
    return 0;
}

}  // namespace

void addAdoptCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<AdoptOptions>();
    auto* command = app.add_subcommand(
        "adopt", "Add runs launched from another database to this one; without names: list them");
    command->add_option("runs", options->runs, "Sweep or run ids, id prefixes, or names")
        ->type_name("SWEEP|RUN");
    command->add_flag("--all", options->all, "All of them");
    command->add_option("--cluster", options->cluster, "Cluster profile")->type_name("NAME");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] { return act(*options, context.stop); };
    });
}

}  // namespace dailies::app

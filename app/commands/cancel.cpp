#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/error.h"
#include "remote/cluster/launch.h"

#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string target;
};

std::optional<tracking::SweepRecord> findSweep(const tracking::Store& store, const std::string& idOrName) {
    for (const auto& sweep : store.sweeps())
        if (sweep.name == idOrName || (idOrName.size() >= 4 && sweep.id.starts_with(idOrName))) return sweep;
    return std::nullopt;
}

int cancel(const Words& words, std::stop_token stop) {
    tracking::Store store(words.store);
    if (const auto sweep = findSweep(store, words.target)) {
        const auto cluster = connect(chooseProfile(sweep->cluster), stop);
        remote::cancelSweep(*cluster, store, sweep->id, stop);
        std::cerr << "Cancelled the unfinished runs of sweep " << sweep->name << ".\n";
        return 0;
    }
    const std::string runId = chooseRun(store, words.target);
    if (const auto run = store.run(runId); run && !tracking::isActive(run->status)) {
        std::cerr << "Run " << runId << " is over already: " << tracking::toText(run->status) << ".\n";
        return 0;
    }
    const auto cluster = connectToClusterOf(store, runId, stop);
    remote::cancelRun(*cluster, store, runId, stop);
    std::cerr << "Cancelled run " << runId << ".\n";
    return 0;
}

}  // namespace

void addCancelCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command = app.add_subcommand("cancel", "Cancel a run, or all unfinished runs of a sweep");
    command->add_option("target", words->target, "Run or sweep: id, its beginning, or name")->required();
    addStoreOption(*command, words->store);
    command->callback(
        [words, &context] { context.action = [words, &context] { return cancel(*words, context.stop); }; });
}

}  // namespace dailies::app

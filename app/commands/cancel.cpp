#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/match_by_id_or_name.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/launch/launch.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

struct CancelOptions {
    std::filesystem::path store;
    std::string target;
};

struct Sweep {
    tracking::SweepRecord record;
    std::ptrdiff_t unfinished = 0;
};

std::vector<Sweep> sweepsCalled(const tracking::Store& store, const std::string& idOrName) {
    std::vector<Sweep> found;
    const auto called = matchByIdOrName(
        store.sweeps(), idOrName, 4, [](const tracking::SweepRecord& sweep) { return sweep.id; },
        [](const tracking::SweepRecord& sweep) { return sweep.name; });
    for (const auto& record : called) {
        const auto runs = remote::sweepRuns(store, record.id);
        found.push_back({record, std::ranges::count_if(runs, [](const remote::SweepRun& entry) {
                             return tracking::isActive(entry.run.status);
                         })});
    }
    return found;
}

std::string jobText(const tracking::SweepRecord& record) {
    return record.jobId.empty() ? "not sent yet" : "job " + record.jobId;
}

/// Of several that were launched under one name, the one that has not ended.
int cancelSweep(tracking::Store& store, const std::vector<Sweep>& called, std::stop_token stop) {
    std::vector<Sweep> unfinished = called;
    std::erase_if(unfinished, [](const Sweep& sweep) { return sweep.unfinished == 0; });
    const auto name = sanitizedText(called.front().record.name);
    if (unfinished.empty()) {
        std::cerr << "Sweep " << name << " has no unfinished run.\n";
        return 0;
    }
    if (unfinished.size() > 1) {
        std::vector<std::string> each;
        for (const auto& [record, runs] : unfinished)
            each.push_back(record.id.substr(0, 8) + " (" + jobText(record) + ", " +
                           pluralize(runs, "run", "runs") + ")");
        throw InputError(
            "\"" + name + "\" matches " + std::to_string(unfinished.size()) + " sweeps that have not ended.",
            "Give the beginning of an id: " + join(each, ", ") + ".");
    }
    const auto& [record, runs] = unfinished.front();
    const auto cluster = connect(chooseProfile(record.cluster), stop);
    remote::cancelSweep(*cluster, store, record.id, stop);
    std::cerr << "Cancelled " << pluralize(runs, "run", "runs") << " of sweep " << name << " ("
              << jobText(record) << ").\n";
    return 0;
}

int cancel(const CancelOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    if (const auto called = sweepsCalled(store, options.target); !called.empty())
        return cancelSweep(store, called, stop);
    const std::string runId = resolveRunId(store, options.target);
    if (const auto run = store.run(runId); run && !tracking::isActive(run->status)) {
        std::cerr << "Run " << runId << " is over already: " << tracking::toText(run->status) << ".\n";
        return 0;
    }
    const auto cluster = connectToClusterOf(store, runId, stop);
    remote::cancelRuns(*cluster, store, {runId}, false, stop);
    std::cerr << "Cancelled run " << runId << ".\n";
    return 0;
}

}  // namespace

void addCancelCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<CancelOptions>();
    auto* command = app.add_subcommand("cancel", "Cancel a run, or all unfinished runs of a sweep");
    command->add_option("target", options->target, "Run or sweep id, id prefix, or name")->required();
    addStoreOption(*command, options->store);
    command->callback([options, &context] {
        context.action = [options, &context] { return cancel(*options, context.stop); };
    });
}

}  // namespace dailies::app

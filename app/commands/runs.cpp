#include "app/commands/command.h"
#include "app/terminal/run_listing.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/store_interrupt.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

struct RunsOptions {
    std::filesystem::path store;
    std::string experiment, sweep, filter, orderBy, format;
    std::size_t most = 0;
    bool archived = false;
};

void requireExperiment(const tracking::Store& store, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& experiment : store.experiments()) known.push_back(experiment.name);
    if (std::ranges::find(known, name) != known.end()) return;
    throw InputError("There is no experiment \"" + sanitizedText(name) + "\".",
                     known.empty() ? "The store holds none." : "The store has: " + join(known, ", ") + ".");
}

/// A sweep that is misspelt is not one without runs.
void requireSweep(const tracking::Store& store, const std::string& idOrName) {
    std::vector<std::string> known;
    for (const auto& sweep : store.sweeps()) {
        if (sweep.name == idOrName || sweep.id.starts_with(idOrName)) return;
        known.push_back(sweep.name);
    }
    const auto meant = nearestWord(idOrName, known);
    throw InputError("There is no sweep \"" + sanitizedText(idOrName) + "\".",
                     meant.empty() ? "Give its name as `dailies runs --format json` has it, or the beginning "
                                     "of its id."
                                   : "Did you mean " + sanitizedText(meant) + "?");
}

int listRuns(const RunsOptions& options, std::stop_token stop) {
    std::vector<tracking::Run> runs;
    if (std::filesystem::exists(options.store)) {
        const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
        tracking::interruptOnStop(store, stop);
        if (!options.experiment.empty()) requireExperiment(store, options.experiment);
        if (!options.sweep.empty()) requireSweep(store, options.sweep);
        runs = options.archived ? store.deletedRuns() : store.runs(options.experiment);
    } else if (options.store != defaultStore()) {
        throw InputError("There is no database " + sanitizedText(options.store.string()) + ".",
                         "Leave --store out for the one in your data folder.");
    }
    filterBySweep(runs, options.sweep);
    const bool hadRuns = !runs.empty() || !options.sweep.empty() || options.archived;
    filterRuns(runs, options.filter);
    orderRuns(runs, options.orderBy);
    if (hadRuns && runs.empty() && options.format == "table") {
        std::cout << "No run matches.\n";
        return 0;
    }
    if (options.most > 0 && runs.size() > options.most) runs.resize(options.most);
    printRuns(runs, options.format);
    return 0;
}

}  // namespace

void addRunsCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<RunsOptions>();
    auto* command = app.add_subcommand("runs", "List runs, newest first");
    addStoreOption(*command, options->store);
    auto* experiment =
        command->add_option("--experiment", options->experiment, "Only this experiment")->type_name("NAME");
    command->add_option("--sweep", options->sweep, "Only this sweep: its name, or the beginning of its id")
        ->type_name("SWEEP");
    command
        ->add_option("--filter", options->filter,
                     "Only runs that match, in MLflow's filter syntax plus OR, NOT and numeric params: "
                     "\"metrics.loss < 0.5 AND (params.optimizer.lr > 1e-4 OR status = 'RUNNING')\"")
        ->type_name("EXPR");
    command
        ->add_option(
            "--order-by", options->orderBy,
            "In MLflow's order syntax: \"metrics.adherence DESC, start_time\"; a param goes by its text "
            "unless it is "
            "number(params.optimizer.lr)")
        ->type_name("EXPR");
    command->add_option("--max", options->most, "Maximum number of runs")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    command->add_flag("--archived", options->archived, "Those that were archived, instead")
        ->excludes(experiment);
    addFormatOption(*command, options->format, {"table", "json", "csv"});
    command->callback([options, &context] {
        context.action = [options, &context] { return listRuns(*options, context.stop); };
    });
}

}  // namespace dailies::app

#include "app/commands/command.h"
#include "app/terminal/run_listing.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/stopping.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string experiment, sweep, filter, orderBy, format;
    std::size_t most = 0;
    bool archived = false;
};

void requireExperiment(const tracking::Store& store, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& experiment : store.experiments()) known.push_back(experiment.name);
    if (std::ranges::find(known, name) != known.end()) return;
    throw InputError("There is no experiment \"" + inertText(name) + "\".",
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
    throw InputError("There is no sweep \"" + inertText(idOrName) + "\".",
                     meant.empty() ? "Give its name as `dailies runs --format json` has it, or the beginning "
                                     "of its id."
                                   : "Did you mean " + inertText(meant) + "?");
}

int listRuns(const Words& words, std::stop_token stop) {
    std::vector<tracking::Run> runs;
    if (std::filesystem::exists(words.store)) {
        const tracking::Store store(words.store, tracking::Store::Mode::ReadOnly);
        tracking::endWhenStopped(store, stop);
        if (!words.experiment.empty()) requireExperiment(store, words.experiment);
        if (!words.sweep.empty()) requireSweep(store, words.sweep);
        runs = words.archived ? store.deletedRuns() : store.runs(words.experiment);
    } else if (words.store != defaultStore()) {
        throw InputError("There is no database " + inertText(words.store.string()) + ".",
                         "Leave --store out for the one in your data folder.");
    }
    keepSweep(runs, words.sweep);
    const bool hadRuns = !runs.empty() || !words.sweep.empty() || words.archived;
    filterRuns(runs, words.filter);
    orderRuns(runs, words.orderBy);
    if (hadRuns && runs.empty() && words.format == "table") {
        std::cout << "No run matches.\n";
        return 0;
    }
    if (words.most > 0 && runs.size() > words.most) runs.resize(words.most);
    printRuns(runs, words.format);
    return 0;
}

}  // namespace

void addRunsCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command = app.add_subcommand("runs", "List runs, newest first");
    addStoreOption(*command, words->store);
    auto* experiment =
        command->add_option("--experiment", words->experiment, "Only this experiment")->type_name("NAME");
    command->add_option("--sweep", words->sweep, "Only this sweep: its name, or the beginning of its id")
        ->type_name("SWEEP");
    command
        ->add_option(
            "--filter", words->filter,
            "Only runs for which it holds, in MLflow's words, with OR, NOT and numbers for params on top: "
            "\"metrics.loss < 0.5 AND (params.optimizer.lr > 1e-4 OR status = 'RUNNING')\"")
        ->type_name("EXPR");
    command
        ->add_option("--order-by", words->orderBy,
                     "In MLflow's words: \"metrics.adherence DESC, start_time\"; a param goes by its text "
                     "unless it is "
                     "number(params.optimizer.lr)")
        ->type_name("EXPR");
    command->add_option("--max", words->most, "At most so many")->check(CLI::PositiveNumber)->type_name("N");
    command->add_flag("--archived", words->archived, "Those that were archived, instead")
        ->excludes(experiment);
    addFormatOption(*command, words->format, {"table", "json", "csv"});
    command->callback(
        [words, &context] { context.action = [words, &context] { return listRuns(*words, context.stop); }; });
}

}  // namespace dailies::app

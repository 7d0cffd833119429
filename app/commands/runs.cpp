#include "app/commands/command.h"
#include "app/terminal/run_listing.h"

#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string experiment, sweep, filter, orderBy, format;
    std::size_t most = 0;
};

int listRuns(const Words& words) {
    std::vector<tracking::Run> runs;
    if (std::filesystem::exists(words.store))
        runs = tracking::Store(words.store, tracking::Store::Mode::ReadOnly).runs(words.experiment);
    keepSweep(runs, words.sweep);
    const bool hadRuns = !runs.empty();
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
    command->add_option("--max", words->most, "At most so many")->type_name("N");
    addFormatOption(*command, words->format, {"table", "json", "csv"});
    command->callback([words, &context] { context.action = [words] { return listRuns(*words); }; });
}

}  // namespace dailies::app

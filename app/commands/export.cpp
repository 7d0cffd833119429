#include "core/exchange/export.h"

#include "app/commands/command.h"
#include "app/terminal/exchange_words.h"
#include "app/terminal/print_json.h"
#include "app/terminal/progress_line.h"
#include "app/terminal/run_listing.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/stopping.h"

#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store, target;
    std::string run, experiment, filter, what, as, format;
    bool force = false, rawText = false, shortNames = false;
};

int exportRuns(const Words& words, std::stop_token stop) {
    const auto table = words.what == "runs" ? exchange::ExportTable::Runs : exchange::ExportTable::Metrics;
    const exchange::ExportOptions options{
        .format = words.as == "json" ? exchange::ExportFormat::Json : exchange::ExportFormat::Csv,
        .text = words.rawText ? CsvText::Raw : CsvText::Neutral,
        .shortNames = words.shortNames};
    const auto file = exchange::exportFile(words.target, table, options.format);
    if (!words.force && std::filesystem::exists(std::filesystem::symlink_status(file)))
        throw InputError("There is a file " + inertText(file.string()) + " already.",
                         "Name another with --to, or replace it with --force.");
    const tracking::Store store(words.store, tracking::Store::Mode::ReadOnly);
    tracking::endWhenStopped(store, stop);
    auto runs = chooseRuns(store, words.run, words.experiment);
    filterRuns(runs, words.filter);
    exchange::ExportSummary summary;
    {
        ProgressLine line;
        summary = exchange::exportRuns(
            store, runs, table, words.target, options,
            [&](const exchange::Progress& at) {
                line.show(grouped(at.runs) + " of " + counted(at.runsInAll, "run", "runs") + ", " +
                          counted(at.points, "point", "points") + " written; now " + at.doing);
            },
            stop);
    }
    if (words.format == "json") {
        printJson(Json{{"file", summary.file.string()}, {"runs", summary.runs}, {"points", summary.points}});
        return 0;
    }
    std::cerr << counted(summary.runs, "run", "runs");
    if (table == exchange::ExportTable::Metrics)
        std::cerr << ", " << counted(summary.points, "point", "points");
    std::cerr << " written to\n";
    std::cout << summary.file.string() << '\n';
    return 0;
}

}  // namespace

void addExportCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command =
        app.add_subcommand("export", "Write runs or their metrics as CSV or JSON; prints the file's name");
    command->add_option("run", words->run, "Run id, its beginning, or its name; default: every run");
    command->add_option("--experiment", words->experiment, "Every run of this one")->type_name("NAME");
    command
        ->add_option("--filter", words->filter,
                     "Only the runs for which this holds, as in \"metrics.loss < 0.5\"")
        ->type_name("EXPR");
    command
        ->add_option("--to", words->target,
                     "A file, or a folder that gets runs.csv or metrics.csv (or .json)")
        ->required()
        ->type_name("FILE");
    words->what = "runs";
    command->add_option("--what", words->what, "runs: a line a run; metrics: a line a point")
        ->check(CLI::IsMember({"runs", "metrics"}));
    words->as = "csv";
    command->add_option("--as", words->as, "csv, or json: a list of objects")
        ->check(CLI::IsMember({"csv", "json"}));
    command->add_flag("--short-names", words->shortNames,
                      "Columns of a CSV of runs: lr for params.optimizer.lr, where no two are alike");
    command->add_flag("--force", words->force, "Replace a file that is there");
    command->add_flag(
        "--raw-text", words->rawText,
        "Keep texts that begin with = + - @ as they are; by default an apostrophe in front keeps "
        "spreadsheets from running them as formulas");
    addStoreOption(*command, words->store);
    addFormatOption(*command, words->format, {"text", "json"});
    command->callback([words, &context] {
        context.action = [words, &context] { return exportRuns(*words, context.stop); };
    });
}

}  // namespace dailies::app

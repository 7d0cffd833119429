#include "core/exchange/export.h"

#include "app/commands/command.h"
#include "app/terminal/exchange_options.h"
#include "app/terminal/output_target.h"
#include "app/terminal/print_json.h"
#include "app/terminal/progress_line.h"
#include "app/terminal/run_listing.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/judging/preferences.h"
#include "core/tracking/store_interrupt.h"

#include <iostream>

namespace dailies::app {

namespace {

struct ExportOptions {
    std::filesystem::path store, target;
    std::string run, experiment, filter, what, as, format;
    bool force = false, rawText = false, shortNames = false;
};

/// Where a table would have its name: in a folder.
std::filesystem::path preferenceFile(const std::filesystem::path& target) {
    return std::filesystem::is_directory(target) ? target / "preferences.jsonl" : target;
}

int exportPreferences(const ExportOptions& args, std::stop_token stop) {
    const auto file = preferenceFile(args.target);
    requireFree(file, args.force);
    const tracking::Store store(args.store, tracking::Store::Mode::ReadOnly);
    tracking::interruptOnStop(store, stop);
    auto runs = chooseRuns(store, args.run, args.experiment);
    filterRuns(runs, args.filter);
    std::vector<std::string> ids;
    for (const auto& run : runs) ids.push_back(run.id);
    const auto written = judging::writePreferences(store, ids, file);
    if (args.format == "json") {
        printJson(Json{{"file", file.string()},
                       {"pairs", written.pairs},
                       {"undecided", written.undecided},
                       {"apart", written.apart}});
        return 0;
    }
    std::cerr << judging::preferencesText(written) << " Written to\n";
    std::cout << file.string() << '\n';
    return 0;
}

int exportRuns(const ExportOptions& args, std::stop_token stop) {
    if (args.what == "preferences") return exportPreferences(args, stop);
    const auto table = args.what == "runs" ? exchange::ExportTable::Runs : exchange::ExportTable::Metrics;
    const exchange::ExportOptions options{
        .format = args.as == "json" ? exchange::ExportFormat::Json : exchange::ExportFormat::Csv,
        .text = args.rawText ? CsvEscaping::Raw : CsvEscaping::EscapeFormulas,
        .shortNames = args.shortNames};
    const auto file = exchange::exportFile(args.target, table, options.format);
    requireFree(file, args.force);
    const tracking::Store store(args.store, tracking::Store::Mode::ReadOnly);
    tracking::interruptOnStop(store, stop);
    auto runs = chooseRuns(store, args.run, args.experiment);
    filterRuns(runs, args.filter);
    exchange::ExportSummary summary;
    {
        ProgressLine line;
        summary = exchange::exportRuns(
            store, runs, table, args.target, options,
            [&](const exchange::Progress& at) {
                line.show(grouped(at.runs) + " of " + pluralize(at.totalRuns, "run", "runs") + ", " +
                          pluralize(at.points, "point", "points") + " written; now " + at.currentItem);
            },
            stop);
    }
    if (args.format == "json") {
        printJson(Json{{"file", summary.file.string()}, {"runs", summary.runs}, {"points", summary.points}});
        return 0;
    }
    std::cerr << pluralize(summary.runs, "run", "runs");
    if (table == exchange::ExportTable::Metrics)
        std::cerr << ", " << pluralize(summary.points, "point", "points");
    std::cerr << " written to\n";
    std::cout << summary.file.string() << '\n';
    return 0;
}

}  // namespace

void addExportCommand(CLI::App& app, Context& context) {
    auto args = std::make_shared<ExportOptions>();
    auto* command = app.add_subcommand(
        "export",
        "Write runs, their metrics or what people preferred of their clips; prints the file's name");
    command->add_option("run", args->run, "Run id, id prefix, or name; default: every run");
    command->add_option("--experiment", args->experiment, "Every run of this one")->type_name("NAME");
    command
        ->add_option("--filter", args->filter,
                     "Only the runs for which this holds, as in \"metrics.loss < 0.5\"")
        ->type_name("EXPR");
    command
        ->add_option("--to", args->target, "A file, or a folder that gets runs.csv or metrics.csv (or .json)")
        ->required()
        ->type_name("FILE");
    args->what = "runs";
    command
        ->add_option(
            "--what", args->what,
            "runs: a line a run; metrics: a line a point; preferences: JSON lines, one for each pair "
            "of clips of which people preferred one in blind arenas, for training on preferences")
        ->check(CLI::IsMember({"runs", "metrics", "preferences"}));
    args->as = "csv";
    command->add_option("--as", args->as, "csv, or json: a list of objects")
        ->check(CLI::IsMember({"csv", "json"}));
    command->add_flag("--short-names", args->shortNames,
                      "Columns of a CSV of runs: lr for params.optimizer.lr, where no two are alike");
    command->add_flag("--force", args->force, "Replace a file that is there");
    command->add_flag("--raw-text", args->rawText, kRawTextHelp);
    addStoreOption(*command, args->store);
    addFormatOption(*command, args->format, {"text", "json"});
    command->callback(
        [args, &context] { context.action = [args, &context] { return exportRuns(*args, context.stop); }; });
}

}  // namespace dailies::app

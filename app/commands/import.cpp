#include "core/exchange/import.h"

#include "app/commands/command.h"
#include "app/terminal/exchange_options.h"
#include "app/terminal/print_json.h"
#include "app/terminal/progress_line.h"
#include "core/base/counts.h"
#include "core/base/text.h"
#include "core/tracking/store_interrupt.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

struct ImportOptions {
    std::filesystem::path store, source;
    std::string kind, experiment, format;
};

std::string told(const exchange::ImportedSource& source) {
    return pluralize(source.runsAdded, "run", "runs") + " added, " + grouped(source.runsExtended) +
           " with more, " + grouped(source.runsUnchanged) + " without news; " +
           pluralize(source.pointsAdded, "point", "points") + " added";
}

Json sourceToJson(const exchange::ImportedSource& source) {
    return {{"kind", toText(source.kind)},
            {"what", source.what},
            {"runs_added", source.runsAdded},
            {"runs_extended", source.runsExtended},
            {"runs_unchanged", source.runsUnchanged},
            {"points_added", source.pointsAdded}};
}

int importRuns(const ImportOptions& args, std::stop_token stop) {
    tracking::Store store(args.store);
    tracking::interruptOnStop(store, stop);
    exchange::ImportOptions options{.experiment = args.experiment};
    if (const auto kind = exchange::sourceKind(args.kind)) options.kinds = {*kind};
    exchange::ImportSummary summary;
    {
        ProgressLine line;
        summary = exchange::importFrom(
            store, args.source, options,
            [&](const exchange::Progress& at) {
                line.show(pluralize(at.runs, "run", "runs") + ", " + pluralize(at.points, "point", "points") +
                          " read; now " + at.currentItem);
            },
            stop);
    }
    for (const auto& source : summary.sources)
        std::cerr << "  " << displayName(source.kind) << ", " << source.what << ": " << told(source) << '\n';
    for (const auto& note : summary.notes) std::cerr << "  note: " << sanitizedText(note) << '\n';
    printLeftOut(summary.skipped);
    // A file of points alone would look as if its runs had had no params and all had finished.
    const bool pointsAlone = std::any_of(
        summary.sources.begin(), summary.sources.end(),
        [](const auto& source) { return source.kind == exchange::SourceKind::Csv && source.runsAdded > 0; });
    const auto total = summary.total();
    if (pointsAlone)
        std::cerr << "  not in the file: how " << (total.runsAdded == 1 ? "the run" : "the runs")
                  << " ended, params and tags; a CSV of metrics holds points alone. What was added counts as "
                     "finished.\n  `dailies import` of the database itself (dailies.db) brings everything.\n";
    if (args.format == "json") {
        std::vector<std::string> kinds;
        Json sources = Json::array(), notes = Json::array();
        for (const auto& source : summary.sources) {
            kinds.emplace_back(toText(source.kind));
            sources.push_back(sourceToJson(source));
        }
        for (const auto& note : summary.notes) notes.push_back(sanitizedText(note));
        printJson(Json{{"kind", join(kinds, ", ")},
                       {"store", store.file().string()},
                       {"runs_added", total.runsAdded},
                       {"runs_extended", total.runsExtended},
                       {"runs_unchanged", total.runsUnchanged},
                       {"points_added", total.pointsAdded},
                       {"sources", std::move(sources)},
                       {"not_in_the_file", pointsAlone ? Json{"status", "params", "tags"} : Json::array()},
                       {"notes", std::move(notes)},
                       {"left_out", toJson(summary.skipped)}});
        return 0;
    }
    std::cout << told(total) << " to " << store.file().string() << '\n';
    return 0;
}

}  // namespace

void addImportCommand(CLI::App& app, Context& context) {
    auto args = std::make_shared<ImportOptions>();
    auto* command = app.add_subcommand("import", "Bring in runs from MLflow, TensorBoard, W&B or CSV files");
    command->add_option("source", args->source, "File or folder; it is only read")->required();
    command->add_option("--kind", args->kind, "Take only these; default: all that is found")
        ->check(CLI::IsMember({"mlflow", "tensorboard", "wandb", "csv"}));
    command
        ->add_option("--experiment", args->experiment,
                     "Put all runs into this one; default: as the source has it")
        ->type_name("NAME");
    addStoreOption(*command, args->store);
    addFormatOption(*command, args->format, {"text", "json"});
    command->footer(
        "A folder may hold runs of several trackers: each kind is found, taken and counted.\n"
        "\n"
        "mlflow       a database of MLflow 1.30 or later (or of Dailies), or a folder of its file store "
        "(mlruns);\n"
        "             with data sets, registered models and tags of experiments. Artifacts stay where they "
        "are\n"
        "tensorboard  event files; each folder that holds some is a run. Scalars, hyperparameters, short "
        "texts\n"
        "wandb        offline runs (wandb/offline-run-*), or single run-*.wandb files\n"
        "csv          a step a line: a column named step (or global_step, iteration, epoch; else lines are "
        "counted),\n"
        "             one a metric, perhaps timestamp (unix seconds or milliseconds). A column run, run_id, "
        "run_name\n"
        "             or name tells several runs apart; without one the file is a run. Or a point a line: "
        "columns\n"
        "             run (or run_id), key, step, value and perhaps timestamp, as `dailies export` writes "
        "them\n"
        "\n"
        "Importing again adds nothing twice and brings in what is new. Ctrl-C leaves whole runs only.");
    command->callback(
        [args, &context] { context.action = [args, &context] { return importRuns(*args, context.stop); }; });
}

}  // namespace dailies::app

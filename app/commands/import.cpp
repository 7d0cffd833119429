#include "core/exchange/import.h"

#include "app/commands/command.h"
#include "app/terminal/exchange_words.h"
#include "app/terminal/print_json.h"
#include "app/terminal/progress_line.h"
#include "core/tracking/stopping.h"

#include <iostream>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store, source;
    std::string kind, experiment, format;
};

int importRuns(const Words& words, std::stop_token stop) {
    tracking::Store store(words.store);
    tracking::endWhenStopped(store, stop);
    exchange::ImportSummary summary;
    {
        ProgressLine line;
        summary = exchange::importFrom(
            store, words.source, {exchange::sourceKind(words.kind), words.experiment},
            [&](const exchange::Progress& at) {
                line.show(counted(at.runs, "run", "runs") + ", " + counted(at.points, "point", "points") +
                          " read; now " + at.doing);
            },
            stop);
    }
    tellLeftOut(summary.leftOut);
    // A file of points alone would look as if its runs had had no params and all had finished.
    const bool pointsAlone = summary.kind == exchange::SourceKind::Csv && summary.runsAdded > 0;
    if (pointsAlone)
        std::cerr << "  not in the file: how " << (summary.runsAdded == 1 ? "the run" : "the runs")
                  << " ended, params and tags; a CSV of metrics holds points alone. What was added counts as "
                     "finished.\n  `dailies import` of the database itself (dailies.db) brings everything.\n";
    if (words.format == "json") {
        printJson(Json{{"kind", toText(summary.kind)},
                       {"store", store.file().string()},
                       {"runs_added", summary.runsAdded},
                       {"runs_extended", summary.runsExtended},
                       {"runs_unchanged", summary.runsUnchanged},
                       {"points_added", summary.pointsAdded},
                       {"not_in_the_file", pointsAlone ? Json{"status", "params", "tags"} : Json::array()},
                       {"left_out", toJson(summary.leftOut)}});
        return 0;
    }
    std::cout << counted(summary.runsAdded, "run", "runs") << " added, " << grouped(summary.runsExtended)
              << " extended, " << grouped(summary.runsUnchanged) << " without news; "
              << counted(summary.pointsAdded, "point", "points") << " added to " << store.file().string()
              << '\n';
    return 0;
}

}  // namespace

void addImportCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command = app.add_subcommand("import", "Bring in runs from MLflow, TensorBoard, W&B or CSV files");
    command->add_option("source", words->source, "File or folder; it is only read")->required();
    command->add_option("--kind", words->kind, "What it holds; default: found from its content")
        ->check(CLI::IsMember({"mlflow", "tensorboard", "wandb", "csv"}));
    command
        ->add_option("--experiment", words->experiment,
                     "Put all runs into this one; default: as the source has it")
        ->type_name("NAME");
    addStoreOption(*command, words->store);
    addFormatOption(*command, words->format, {"text", "json"});
    command->footer(
        "mlflow       a database of MLflow 1.30 or later (or of Dailies), or a folder of its file store "
        "(mlruns)\n"
        "tensorboard  event files; each folder that holds some is a run. Scalars, hyperparameters, short "
        "texts\n"
        "wandb        offline runs (wandb/offline-run-*), or single run-*.wandb files\n"
        "csv          a run a file: a column named step (or global_step, iteration, epoch; else lines are "
        "counted),\n"
        "             one a metric, perhaps timestamp (unix seconds or milliseconds). Or a point a line: "
        "columns\n"
        "             run (or run_id), key, step, value and perhaps timestamp, as `dailies export` writes "
        "them\n"
        "\n"
        "Importing again adds nothing twice and brings in what is new. Ctrl-C leaves whole runs only.");
    command->callback([words, &context] {
        context.action = [words, &context] { return importRuns(*words, context.stop); };
    });
}

}  // namespace dailies::app

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/output_target.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/curation/clip_table.h"
#include "core/curation/folder_comparison.h"
#include "remote/service/curated_copy.h"

#include <iostream>

namespace dailies::app {

namespace {

struct DatasetsOptions {
    std::filesystem::path store, copy, before, after;
    std::string cluster, folder, format;
    std::filesystem::path target;
    std::string as;
    bool dropped = false, rawText = false, force = false;
};

int listDatasets(const DatasetsOptions& options) {
    const auto copies = remote::curatedCopies(remote::curatedCopiesFolder(options.store));
    if (options.format == "json") {
        Json all = Json::array();
        for (const auto& [copy, origin, summary] : copies) {
            Json one = {{"cluster", origin.cluster},
                        {"folder", origin.folder},
                        {"copy", copy.string()},
                        {"unsent", origin.unsent}};
            if (summary) one.update({{"clips", summary->clips}, {"kept", summary->kept}});
            all.push_back(std::move(one));
        }
        printJson(all);
        return 0;
    }
    Table table({"cluster", "folder", "clips", "kept", "verdicts", "copy"});
    for (const auto& [copy, origin, summary] : copies)
        table.add({origin.cluster, origin.folder, summary ? grouped(summary->clips) : "",
                   summary ? grouped(summary->kept) : "", origin.unsent ? "not sent" : "sent",
                   copy.string()});
    table.print(std::cout);
    return 0;
}

int copyDataset(const DatasetsOptions& options, std::stop_token stop) {
    const auto cluster = connect(chooseProfile(options.cluster), stop);
    const auto copy = remote::copyCuratedFolder(*cluster, options.folder,
                                                remote::curatedCopiesFolder(options.store), say, stop);
    std::cout << copy.string() << '\n';
    return 0;
}

int sendDataset(const DatasetsOptions& options, std::stop_token stop) {
    const auto origin = curation::loadCuratedOrigin(options.copy);
    if (!origin)
        throw InputError(sanitizedText(options.copy.string()) + " is no copy of a folder on a cluster.",
                         "`dailies datasets list` lists them.");
    const auto cluster = connect(chooseProfile(origin->cluster), stop);
    remote::sendVerdicts(*cluster, options.copy, stop);
    std::cerr << "The verdicts are in " << sanitizedText(origin->folder) << " on "
              << sanitizedText(origin->cluster) << ".\n";
    return 0;
}

int compareDatasets(const DatasetsOptions& options, std::stop_token stop) {
    const auto comparison = curation::compareFolders(curation::loadCuratedFolder(options.before, 0, stop),
                                                     curation::loadCuratedFolder(options.after, 0, stop));
    if (options.format == "json")
        printJson(comparison.toJson());
    else
        std::cout << comparison.text();
    return 0;
}

int exportDataset(const DatasetsOptions& options, std::stop_token stop) {
    requireFree(options.target, options.force);
    const auto written =
        curation::writeClipTable(options.before, options.target,
                                 {.format = options.as == "jsonl" ? curation::ClipTableFormat::JsonLines
                                                                  : curation::ClipTableFormat::Csv,
                                  .dropped = options.dropped,
                                  .text = options.rawText ? CsvEscaping::Raw : CsvEscaping::EscapeFormulas},
                                 stop);
    std::cerr << written.text() << ". Written to\n";
    std::cout << options.target.string() << '\n';
    return 0;
}

}  // namespace

void addDatasetsCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<DatasetsOptions>();
    auto* datasets = app.add_subcommand(
        "datasets", "Curated folders of clusters, copied here so that their thresholds are set by looking");
    datasets->require_subcommand(1);
    auto* list = datasets->add_subcommand("list", "Copies on this computer");
    addStoreOption(*list, options->store);
    addFormatOption(*list, options->format, {"table", "json"});
    list->callback([options, &context] { context.action = [options] { return listDatasets(*options); }; });

    auto* copy = datasets->add_subcommand(
        "copy", "Copy list, rules, corrections and previews of a curated folder, and print where they are");
    copy->add_option("folder", options->folder, "Folder on the cluster")->required()->type_name("FOLDER");
    copy->add_option("--cluster", options->cluster, "Profile name; optional when there is one");
    addStoreOption(*copy, options->store);
    copy->callback([options, &context] {
        context.action = [options, &context] { return copyDataset(*options, context.stop); };
    });

    auto* send = datasets->add_subcommand(
        "send", "Write rules, corrections and verdicts of a copy into the folder that it was made of");
    send->add_option("copy", options->copy, "Folder on this computer")->required()->type_name("COPY");
    send->callback([options, &context] {
        context.action = [options, &context] { return sendDataset(*options, context.stop); };
    });

    auto* exported = datasets->add_subcommand(
        "export", "Write the clips of a curated folder as a table that other trainers read; prints its name");
    exported->add_option("folder", options->before, "Curated folder on this computer")
        ->required()
        ->type_name("FOLDER");
    exported->add_option("--to", options->target, "A file")->required()->type_name("FILE");
    exported
        ->add_option("--as", options->as,
                     "csv: Open-Sora's columns (path, text, num_frames, …) and all scores; jsonl: an object "
                     "a clip, with musubi-tuner's keys (video_path, caption)")
        ->check(CLI::IsMember({"csv", "jsonl"}))
        ->default_val("csv");
    exported->add_flag("--dropped", options->dropped, "Clips that are dropped, too, with the reasons why");
    exported->add_flag("--force", options->force, "Replace a file that is there");
    exported->add_flag("--raw-text", options->rawText, kRawTextHelp);
    exported->callback([options, &context] {
        context.action = [options, &context] { return exportDataset(*options, context.stop); };
    });

    auto* compare = datasets->add_subcommand(
        "compare",
        "What makes one curated folder on this computer another: rules, clips gained and lost and "
        "why, captions");
    compare->add_option("before", options->before, "Curated folder")->required()->type_name("BEFORE");
    compare->add_option("after", options->after, "Curated folder")->required()->type_name("AFTER");
    addFormatOption(*compare, options->format, {"table", "json"});
    compare->callback([options, &context] {
        context.action = [options, &context] { return compareDatasets(*options, context.stop); };
    });
}

}  // namespace dailies::app

#include "app/commands/command.h"
#include "app/commands/open_window.h"
#include "app/terminal/print_json.h"
#include "app/terminal/progress_line.h"
#include "core/base/counts.h"
#include "core/base/text.h"
#include "core/exchange/add_clips.h"
#include "core/tracking/store_interrupt.h"

#include <iostream>

namespace dailies::app {

namespace {

struct ClipsOptions {
    std::filesystem::path store;
    std::vector<std::filesystem::path> folders;
    std::filesystem::path captions;
    std::string experiment, format;
    bool noWindow = false;
};

exchange::AddedClips addFolders(tracking::Store& store, const ClipsOptions& options, std::stop_token stop) {
    ProgressLine line;
    return exchange::addClips(
        store, options.folders, {.captions = options.captions, .experiment = options.experiment},
        [&](const exchange::Progress& at) {
            line.show(pluralize(at.runs, "video", "videos") + " read; now " + at.currentItem);
        },
        stop);
}

void print(const tracking::Store& store, const exchange::AddedClips& added, const std::string& format) {
    Json columns = Json::array();
    for (const std::string& id : added.runIds) {
        const auto run = store.run(id);
        const auto clips = static_cast<std::int64_t>(store.clips({id}).size());
        columns.push_back({{"run", id}, {"name", run ? sanitizedText(run->name) : ""}, {"clips", clips}});
        if (format == "table" && run)
            std::cout << id.substr(0, 8) << "  " << sanitizedText(run->name) << ": "
                      << pluralize(clips, "clip", "clips") << '\n';
    }
    if (format == "json")
        printJson(Json{{"experiment", added.experiment},
                       {"columns", columns},
                       {"clips", added.clips},
                       {"added", added.added},
                       {"changed", added.changed},
                       {"removed", added.removed}});
    for (const auto& item : added.skipped)
        std::cerr << "  " << grouped(item.count) << " " << sanitizedText(item.what) << ": "
                  << sanitizedText(item.why) << '\n';
}

int showClips(const ClipsOptions& options, const WindowOpener& window, std::stop_token stop) {
    exchange::AddedClips added;
    {
        tracking::Store store(options.store);
        tracking::interruptOnStop(store, stop);
        added = addFolders(store, options, stop);
        print(store, added, options.format);
    }
    if (options.noWindow || options.format == "json") return 0;
    if (!hasDisplay()) {
        std::cerr
            << "There is no display to open a window on. `dailies contact-sheet FILE.png RUN…` and `dailies "
               "reel FILE.html RUN…` show these runs without one.\n";
        return 0;
    }
    return window.open({.store = options.store, .page = ui::Page::Review, .runIds = added.runIds});
}

}  // namespace

void addClipsCommand(CLI::App& app, Context& context, const WindowOpener& window) {
    auto options = std::make_shared<ClipsOptions>();
    auto* command = app.add_subcommand(
        "clips", "Open folders of videos as a wall: columns are folders or models, rows are prompts");
    command->add_option("folders", options->folders, "Folders of videos, or videos")
        ->required()
        ->type_name("FOLDER");
    command
        ->add_option(
            "--captions", options->captions,
            "CSV or JSONL with the columns file, prompt, and as you like model, seed, step; default: "
            "prompts.csv, captions.csv or metadata.csv in the folder, .txt files beside the videos, "
            "else the videos' names")
        ->check(CLI::ExistingFile)
        ->type_name("FILE");
    command->add_option("--experiment", options->experiment,
                        "Experiment to put them in; default: the name of the first folder");
    command->add_flag("--no-window", options->noWindow, "Add them to the database and open no window");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context, window] {
        context.action = [options, &context, window] { return showClips(*options, window, context.stop); };
    });
}

}  // namespace dailies::app

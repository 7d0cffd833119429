#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/match_by_id_or_name.h"
#include "app/terminal/run_listing.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/store_interrupt.h"

#include <iostream>

// What people do to runs in the database: tag, archive, restore, delete for ever.
namespace dailies::app {

namespace {

struct OrganiseOptions {
    std::filesystem::path store;
    std::vector<std::string> runs, set, remove;
    std::string filter;
    bool yes = false;
};

using Runs = std::vector<tracking::Run>;

/// Those of `runs` that are named, and of all of them those for which the filter holds. Throws `InputError`
/// when nothing was said or a name means none or several.
std::vector<std::string> idsOf(Runs runs, const OrganiseOptions& options, const std::string& kind) {
    if (options.runs.empty() == options.filter.empty())
        throw InputError("No runs were selected.", "Name them, or say --filter EXPR, not both.");
    std::vector<std::string> ids;
    if (!options.filter.empty()) {
        filterRuns(runs, options.filter);
        for (const auto& run : runs) ids.push_back(run.id);
        return ids;
    }
    for (const auto& name : options.runs) {
        const auto found = matchByIdOrName(
            runs, name, 4, [](const tracking::Run& run) { return run.id; },
            [](const tracking::Run& run) { return run.name; });
        if (found.empty())
            throw InputError(
                "No " + kind + " is called \"" + sanitizedText(name) + "\" or has an id that begins so.",
                kind == "run" ? "`dailies runs` lists the runs." : "`dailies runs --archived` lists those.");
        if (found.size() > 1)
            throw InputError(
                "\"" + sanitizedText(name) + "\" matches " + std::to_string(found.size()) + " " + kind + "s.",
                "Give a longer id prefix.");
        ids.push_back(found.front().id);
    }
    return ids;
}

int tagRuns(const OrganiseOptions& options, std::stop_token stop) {
    if (options.set.empty() && options.remove.empty())
        throw InputError("No tag was given.", "Say --set KEY=VALUE or --remove KEY.");
    tracking::Store store(options.store);
    tracking::interruptOnStop(store, stop);
    const auto ids = idsOf(store.runs(), options, "run");
    std::vector<std::pair<std::string, std::string>> tags;
    for (const auto& word : options.set) {
        const auto equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            throw InputError("\"" + sanitizedText(word) + "\" is not a tag.", "Write it as KEY=VALUE.");
        tags.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
    if (ids.empty()) {
        std::cerr << "No run matches; nothing was changed.\n";
        return 0;
    }
    for (const auto& [key, value] : tags) store.setTags(ids, key, value);
    if (!tags.empty()) std::cerr << pluralize(ids.size(), "run", "runs") << " tagged.\n";
    for (const auto& key : options.remove) {
        std::vector<std::string> having;
        for (const auto& run : store.runs(ids))
            if (run.tags.contains(key)) having.push_back(run.id);
        store.removeTag(having, key);
        const auto name = "Tag " + sanitizedText(key);
        if (having.empty())
            std::cerr << (ids.size() == 1 ? "The run has no tag " : "None of these runs has a tag ")
                      << sanitizedText(key) << "; nothing was removed.\n";
        else if (having.size() == ids.size())
            std::cerr << name << " removed from " << pluralize(ids.size(), "run", "runs") << ".\n";
        else
            std::cerr << name << " removed from " << having.size() << " of "
                      << pluralize(ids.size(), "run", "runs") << "; the others did not have it.\n";
    }
    return 0;
}

int archive(const OrganiseOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    tracking::interruptOnStop(store, stop);
    const auto ids = idsOf(store.runs(), options, "run");
    store.deleteRuns(ids);
    std::cerr
        << pluralize(ids.size(), "run", "runs")
        << " archived. `dailies restore` brings them back, `dailies delete` deletes them permanently.\n";
    return 0;
}

int restore(const OrganiseOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    tracking::interruptOnStop(store, stop);
    const auto ids = idsOf(store.deletedRuns(), options, "archived run");
    store.restoreRuns(ids);
    std::cerr << pluralize(ids.size(), "run", "runs") << " restored.\n";
    return 0;
}

int deleteForEver(const OrganiseOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    tracking::interruptOnStop(store, stop);
    const auto ids = idsOf(store.deletedRuns(), options, "archived run");
    if (!options.yes)
        throw InputError(pluralize(ids.size(), "archived run", "archived runs") +
                             " would be permanently deleted, with points, clips and logs.",
                         "Pass --yes to confirm.");
    const auto gone = store.purgeRuns(ids);
    std::cerr << pluralize(gone.runs, "run", "runs") << " and " << pluralize(gone.points, "point", "points")
              << " deleted; " << grouped(gone.bytes) << " bytes are free again.\n";
    return 0;
}

CLI::App* addCommand(CLI::App& app, const char* name, const char* purpose,
                     const std::shared_ptr<OrganiseOptions>& options) {
    auto* command = app.add_subcommand(name, purpose);
    command->add_option("runs", options->runs, "Run ids, id prefixes, or names");
    command
        ->add_option("--filter", options->filter, "All runs for which this holds, as in \"metrics.loss > 5\"")
        ->type_name("EXPR");
    addStoreOption(*command, options->store);
    return command;
}

void setAction(CLI::App& command, Context& context, int (*action)(const OrganiseOptions&, std::stop_token),
               const std::shared_ptr<OrganiseOptions>& options) {
    command.callback([action, options, &context] {
        context.action = [action, options, &context] { return action(*options, context.stop); };
    });
}

}  // namespace

void addTagCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<OrganiseOptions>();
    auto* command = addCommand(app, "tag", "Set or remove tags of runs", options);
    command->add_option("--set", options->set, "A tag")->type_name("KEY=VALUE");
    command->add_option("--remove", options->remove, "A tag's key")->type_name("KEY");
    setAction(*command, context, tagRuns, options);
}

void addArchiveCommands(CLI::App& app, Context& context) {
    auto archived = std::make_shared<OrganiseOptions>();
    setAction(*addCommand(app, "archive", "Take runs out of every list; nothing is lost", archived), context,
              archive, archived);
    auto restored = std::make_shared<OrganiseOptions>();
    setAction(*addCommand(app, "restore", "Bring archived runs back", restored), context, restore, restored);
    auto deleted = std::make_shared<OrganiseOptions>();
    auto* command =
        addCommand(app, "delete", "Permanently delete archived runs and free their disk space", deleted);
    command->add_flag("--yes", deleted->yes, "Confirm the deletion");
    setAction(*command, context, deleteForEver, deleted);
}

}  // namespace dailies::app

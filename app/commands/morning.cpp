#include "app/commands/command.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/clock.h"
#include "core/base/user.h"
#include "core/judging/morning_playlist.h"

#include <iostream>

namespace dailies::app {

namespace {

struct MorningOptions {
    std::filesystem::path store;
    std::string format;
    bool seen = false;
};

const char* wordOf(judging::Reason reason) {
    switch (reason) {
        case judging::Reason::FailedCheck:
            return "failed_check";
        case judging::Reason::Regression:
            return "regression";
        case judging::Reason::New:
            return "new";
    }
    return "new";
}

void print(const judging::MorningPlaylist& morning, const std::string& format) {
    if (format == "json") {
        Json clips = Json::array();
        for (const auto& entry : morning.playlist)
            clips.push_back({{"run_id", entry.run.id},
                             {"run", entry.run.name},
                             {"step", entry.clip.step},
                             {"prompt", entry.clip.prompt},
                             {"seed", entry.clip.seed},
                             {"file", entry.clip.localPath},
                             {"reason", wordOf(entry.reason)},
                             {"why", entry.why},
                             {"frame", entry.frame + 1}});
        printJson(Json{{"clips", std::move(clips)}, {"unseen", morning.unseen}});
        return;
    }
    if (morning.playlist.empty()) {
        std::cout << "No clip of a newest step that you have not seen.\n";
        return;
    }
    Table table({"run", "step", "prompt", "seed", "why"});
    for (const auto& entry : morning.playlist)
        table.add({entry.run.name, std::to_string(entry.clip.step), entry.clip.prompt,
                   std::to_string(entry.clip.seed), entry.why.empty() ? "new" : entry.why});
    table.print(std::cout);
}

int listMorning(const MorningOptions& options, const std::stop_token& stop) {
    const std::string author = userName();
    {
        const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
        print(judging::buildMorningPlaylist(store, author, stop), options.format);
    }
    if (!options.seen) return 0;
    tracking::Store store(options.store);
    judging::markAllSeen(store, author, unixMillis());
    return 0;
}

}  // namespace

void addMorningCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<MorningOptions>();
    auto* command = app.add_subcommand("morning", "List clips that you have not seen, regressions first");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->add_flag("--seen", options->seen, "Mark all clips as seen, those of earlier steps too");
    command->callback([options, &context] {
        context.action = [options, &context] { return listMorning(*options, context.stop); };
    });
}

}  // namespace dailies::app

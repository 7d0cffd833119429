#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/text.h"
#include "core/log/log_file.h"

#include <iostream>

namespace dailies::app {

namespace {

struct LogOptions {
    std::size_t lines = 200;
    bool path = false;
};

int showLog(const LogOptions& options) {
    const log::LogFile file;
    if (options.path) {
        std::cout << file.path.string() << '\n';
        return 0;
    }
    const auto text = log::lastLines(file, options.lines);
    if (text.empty()) say("Nothing has been logged yet.");
    std::cout << sanitizedText(text);
    return 0;
}

}  // namespace

void addLogCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<LogOptions>();
    auto* command = app.add_subcommand(
        "log", "Print the log of Dailies itself, to send when something is wrong (that of a run: `logs`)");
    command->add_option("--lines", options->lines, "How many of the last lines; default 200")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    command->add_flag("--path", options->path, "Print where the file is instead");
    command->callback([options, &context] { context.action = [options] { return showLog(*options); }; });
}

}  // namespace dailies::app

#include "app/terminal/shared_options.h"

#include "core/base/error.h"

#include <string>
#include <vector>

namespace dailies::app {

namespace {

std::vector<CLI::App*> commandsOf(CLI::App& app) {
    return app.get_subcommands([](CLI::App*) { return true; });
}

/// As if they had been said behind the command, so that its own rules hold for them: what excludes what, and
/// nothing twice.
void handOver(const CLI::App& program, CLI::App& command, const std::string& called) {
    for (const CLI::Option* said : program.get_options()) {
        if (said->count() == 0 || said == program.get_help_ptr() || said == program.get_version_ptr())
            continue;
        CLI::Option* own = command.get_option_no_throw(said->get_name());
        if (!own)
            throw InputError("`" + called + "` does not take " + said->get_name() + ".",
                             "`" + called + " --help` lists what it takes.");
        own->add_result(said->results());
    }
}

void share(CLI::App& program, CLI::App& app, const std::string& called) {
    for (CLI::App* command : commandsOf(app)) {
        const std::string name = called + " " + command->get_name();
        if (commandsOf(*command).empty())
            command->preparse_callback(
                [&program, command, name](std::size_t) { handOver(program, *command, name); });
        else
            share(program, *command, name);
    }
}

}  // namespace

void shareOptionsWithCommands(CLI::App& program) {
    share(program, program, program.get_name());
}

}  // namespace dailies::app

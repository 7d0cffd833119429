#include "ui/desktop.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/program_log.h"
#include "core/base/files.h"

namespace dailies::app {

void addDesktop(CLI::App& app, Context& context, const std::shared_ptr<DesktopOptions>& options, int argc,
                char** argv) {
    app.add_option("--page", options->page, "Page to open with (default: the last one)")
        ->check(CLI::IsMember({"runs", "review", "launch", "cluster", "compare", "run"}));
    app.footer("Without a command, the desktop program opens.");
    app.callback([options, &app, &context, argc, argv] {
        if (!app.get_subcommands().empty()) return;
        context.action = [options, argc, argv, &context] {
            if (!options->cluster.empty())
                chooseProfile(options->cluster);  // an unknown name is refused here, in the terminal
            return ui::runDesktop(argc, argv,
                                  {.storeFile = options->store,
                                   .profilesFile = remote::ClusterProfiles::defaultFile(),
                                   .clusterName = options->cluster,
                                   .page = ui::pageFromName(options->page).value_or(ui::Page::Runs),
                                   .stop = context.stop,
                                   .draftFile = userConfigFolder() / "launch_draft.yaml",
                                   .remember = true,
                                   .reopenPage = options->page.empty(),
                                   .facts = programFacts(),
                                   .logLevelChosen = chosenLogLevel(options->logLevel).has_value()});
        };
    });
}

}  // namespace dailies::app

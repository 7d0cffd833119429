#include "ui/desktop.h"

#include "app/commands/command.h"
#include "app/commands/open_window.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/program_log.h"
#include "core/base/files.h"

#include <cstdlib>

namespace dailies::app {

bool hasDisplay() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (const char* value = std::getenv(name); value && *value) return true;
    return false;
}

int WindowOpener::open(const Request& request) const {
    return ui::runDesktop(m_argc, m_argv,
                          {.storeFile = request.store,
                           .profilesFile = remote::ClusterProfiles::defaultFile(),
                           .clusterName = request.cluster,
                           .page = request.page,
                           .runIds = request.runIds,
                           .stop = m_stop,
                           .draftFile = userConfigFolder() / "launch_draft.yaml",
                           .remember = true,
                           .reopenPage = request.lastPage,
                           .facts = programFacts(),
                           .logLevelChosen = request.isLogLevelChosen});
}

void addDesktop(CLI::App& app, Context& context, const std::shared_ptr<DesktopOptions>& options,
                const WindowOpener& window) {
    app.add_option("--page", options->page, "Page to open with (default: the last one)")
        ->check(CLI::IsMember({"runs", "review", "launch", "cluster", "datasets", "compare", "run"}));
    app.footer("Without a command, the desktop program opens.");
    app.callback([options, &app, &context, window] {
        if (!app.get_subcommands().empty()) return;
        context.action = [options, window] {
            if (!options->cluster.empty())
                chooseProfile(options->cluster);  // an unknown name is refused here, in the terminal
            return window.open({.store = options->store,
                                .cluster = options->cluster,
                                .page = ui::pageFromName(options->page).value_or(ui::Page::Runs),
                                .lastPage = options->page.empty(),
                                .isLogLevelChosen = chosenLogLevel(options->logLevel).has_value()});
        };
    });
}

}  // namespace dailies::app

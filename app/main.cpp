#include "app/commands/command.h"
#include "app/terminal/interrupt.h"
#include "app/terminal/program_log.h"
#include "app/terminal/shared_options.h"
#ifdef DAILIES_WITH_UI
#include "app/commands/open_window.h"
#include "app/terminal/qt_messages.h"
#endif
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/stdout_guard.h"
#include "core/base/text.h"

#include <cstdlib>
#include <iostream>
#include <sys/resource.h>
#include <sys/stat.h>

namespace dailies::app {

std::filesystem::path defaultStore() {
    if (const char* store = std::getenv("DAILIES_STORE"); store && *store) return store;
    return userDataFolder() / "dailies.db";
}

void addStoreOption(CLI::App& command, std::filesystem::path& store) {
    store = defaultStore();
    command
        .add_option("--store", store, "Database of runs; default $DAILIES_STORE, else in your data folder")
        ->type_name("FILE");
}

void addFormatOption(CLI::App& command, std::string& format, const std::vector<std::string>& choices) {
    format = choices.front();
    command.add_option("--format", format, "How the answer is printed")->check(CLI::IsMember(choices));
}

namespace {

enum ExitStatus { kDone = 0, kFailed = 1, kWrongInput = 2 };

int run(int argc, char** argv, ProgramLog& log) {
    Interrupt interrupt;
    Context context{interrupt.token(), nullptr};
    CLI::App cli(
        "Dailies: train video-diffusion models on a Slurm cluster, compare the runs, review the clips.",
        "dailies");
    cli.set_version_flag("--version", DAILIES_VERSION);
    cli.require_subcommand(0, 1);
    auto desktop = std::make_shared<DesktopOptions>();
    addStoreOption(cli, desktop->store);
    cli.add_option("--cluster", desktop->cluster,
                   "Cluster profile; the desktop program connects to it at once")
        ->type_name("NAME");
    addSandboxCommand(cli, context);
    addClustersCommand(cli, context);
    addClusterCommand(cli, context);
    addPreflightCommand(cli, context);
    addLaunchCommand(cli, context);
    addSampleCommand(cli, context);
    addScoreCommand(cli, context);
    addBatchCommand(cli, context);
    addCurateCommand(cli, context);
    addCaptionCommand(cli, context);
    addScoreClipsCommand(cli, context);
    addShardCommand(cli, context);
    addDatasetsCommand(cli, context);
    addFilesCommand(cli, context);
    addFollowCommand(cli, context);
    addAdoptCommand(cli, context);
    addRunsCommand(cli, context);
    addCompareCommand(cli, context);
    addMetricsCommand(cli, context);
    addLogsCommand(cli, context);
    addLogCommand(cli, context);
    addCancelCommand(cli, context);
    addExtendCommand(cli, context);
    addForkCommand(cli, context);
    addMirrorCommand(cli, context);
    addMorningCommand(cli, context);
    addPullCommand(cli, context);
    addTagCommand(cli, context);
    addArchiveCommands(cli, context);
    addImportCommand(cli, context);
    addExportCommand(cli, context);
    addExportCheckpointCommand(cli, context);
    addPublishCommand(cli, context);
    addCheckCommand(cli, context);
#ifdef DAILIES_WITH_UI
    const WindowOpener window(argc, argv, context.stop);
    addScreenshotCommand(cli, context);
    addWatchCommand(cli, context, window);
    addClipsCommand(cli, context, window);
    addClipSheetCommands(cli, context);
    addDesktop(cli, context, desktop, window);
#endif
    addLogLevelOption(cli, desktop->logLevel);
    shareOptionsWithCommands(cli);
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return cli.exit(e, std::cout, std::cerr) == 0 ? kDone : kWrongInput;
    }
    if (!context.action) {
        std::cerr << cli.help();
        return kWrongInput;
    }
    log.start(chosenLogLevel(desktop->logLevel), argc, argv);
    return context.action();
}

/// What runs train on and what a person types to sign in is nobody else's: files are made for their owner
/// alone, whatever the shell's umask says, and a crash leaves no picture of the memory on a shared disk.
void hardenProcess() {
    ::umask(S_IRWXG | S_IRWXO);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

int report(const Error& error, int status) {
    log::error("program", error.full());
    std::cerr << "dailies: " << sanitizedText(error.what()) << '\n';
    if (!error.remedy().empty()) std::cerr << "         " << sanitizedText(error.remedy()) << '\n';
    return status;
}

/// The exit status, whatever happens.
int runReported(int argc, char** argv, ProgramLog& log) {
    StdoutGuard output;
    try {
        const int status = run(argc, argv, log);
        output.finish();
        return status;
    } catch (const InputError& e) {
        return report(e, kWrongInput);
    } catch (const Error& e) {
        return report(e, kFailed);
    } catch (const Cancelled&) {
        log::info("program", "cancelled");
        std::cerr << "dailies: cancelled\n";
        return kFailed;
    } catch (const StdoutWriteError& e) {
        log::error("program", e.what());
        std::cerr << "dailies: " << e.what() << '\n';
        return kFailed;
    } catch (const std::exception& e) {
        log::error("program", std::string("unexpected failure: ") + e.what());
        std::cerr << "dailies: unexpected failure: " << sanitizedText(e.what()) << '\n';
        return kFailed;
    }
}

}  // namespace

}  // namespace dailies::app

int main(int argc, char** argv) {
    using namespace dailies;
    app::hardenProcess();
#ifdef DAILIES_WITH_UI
    app::handleQtMessages();
#endif
    app::ProgramLog log;
    const int status = app::runReported(argc, argv, log);
    log.end(status);
    return status;
}

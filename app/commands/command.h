#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace dailies::app {

/// What a command runs with: Ctrl-C as a stop token. Standard output carries the answer and nothing else;
/// progress and messages go to standard error.
struct Context {
    std::stop_token stop;
    /// What the chosen command does; set while the options are parsed, called once. Returns the exit status.
    std::function<int()> action;
};

/// What is said of the desktop program, or before a command, which then takes it (see
/// `shareOptionsWithCommands`).
struct DesktopOptions {
    std::filesystem::path store;
    std::string cluster, page;  ///< no page: the one that was left
    std::string logLevel;       ///< empty: not said
};

/// $DAILIES_STORE, else $XDG_DATA_HOME/dailies/dailies.db.
std::filesystem::path defaultStore();

/// Adds `--store FILE` to a command.
void addStoreOption(CLI::App& command, std::filesystem::path& store);
/// Adds `--format` with these choices to a command.
void addFormatOption(CLI::App& command, std::string& format, const std::vector<std::string>& choices);

// One function a command: declares its options and sets `context.action` when it is chosen.
void addSandboxCommand(CLI::App& app, Context& context);
void addClustersCommand(CLI::App& app, Context& context);
void addClusterCommand(CLI::App& app, Context& context);  ///< queue, nodes, use
void addPreflightCommand(CLI::App& app, Context& context);
void addLaunchCommand(CLI::App& app, Context& context);
void addSampleCommand(CLI::App& app, Context& context);
void addDatasetsCommand(CLI::App& app, Context& context);
void addCaptionCommand(CLI::App& app, Context& context);
void addScoreClipsCommand(CLI::App& app, Context& context);
void addShardCommand(CLI::App& app, Context& context);
void addCurateCommand(CLI::App& app, Context& context);
void addBatchCommand(CLI::App& app, Context& context);
void addScoreCommand(CLI::App& app, Context& context);
void addFilesCommand(CLI::App& app, Context& context);
void addFollowCommand(CLI::App& app, Context& context);
void addAdoptCommand(CLI::App& app, Context& context);
void addRunsCommand(CLI::App& app, Context& context);
void addCompareCommand(CLI::App& app, Context& context);
void addMetricsCommand(CLI::App& app, Context& context);
void addLogsCommand(CLI::App& app, Context& context);
void addLogCommand(CLI::App& app, Context& context);  ///< of Dailies itself
void addCancelCommand(CLI::App& app, Context& context);
void addExtendCommand(CLI::App& app, Context& context);
void addForkCommand(CLI::App& app, Context& context);
void addMirrorCommand(CLI::App& app, Context& context);
void addMorningCommand(CLI::App& app, Context& context);
void addPullCommand(CLI::App& app, Context& context);
void addTagCommand(CLI::App& app, Context& context);
void addArchiveCommands(CLI::App& app, Context& context);  ///< archive, restore, delete
void addImportCommand(CLI::App& app, Context& context);
void addExportCommand(CLI::App& app, Context& context);
void addExportCheckpointCommand(CLI::App& app, Context& context);
void addPublishCommand(CLI::App& app, Context& context);
void addCheckCommand(CLI::App& app, Context& context);
#ifdef DAILIES_WITH_UI
class WindowOpener;
void addDesktop(CLI::App& app, Context& context, const std::shared_ptr<DesktopOptions>& options,
                const WindowOpener& window);  ///< what happens without a command
void addClipsCommand(CLI::App& app, Context& context, const WindowOpener& window);
void addWatchCommand(CLI::App& app, Context& context, const WindowOpener& window);
void addScreenshotCommand(CLI::App& app, Context& context);
void addClipSheetCommands(CLI::App& app, Context& context);  ///< contact-sheet, reel, mlflow-sheets
#endif

}  // namespace dailies::app

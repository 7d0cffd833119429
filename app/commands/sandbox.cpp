#include "remote/sandbox/sandbox.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/error.h"
#include "core/tracking/run_tags.h"

#include <algorithm>
#include <iostream>

namespace dailies::app {

namespace {

int start(const remote::sandbox::Options& options, std::stop_token stop) {
    const auto status = remote::sandbox::up(
        options, [](const std::string& line) { std::cerr << "  " << line << '\n'; }, stop);
    loadProfiles().put(*status.profile);
    std::cout << status.summary << '\n';
    return 0;
}

int printStatus(const std::filesystem::path& folder) {
    const auto status = remote::sandbox::status(folder);
    std::cout << status.summary << '\n';
    return status.running ? 0 : 1;
}

/// Its folder holds the runs' checkpoints: what still trains is not ended by the way.
void requireNoRuns(const remote::ClusterProfile& profile, const std::filesystem::path& storeFile) {
    if (!std::filesystem::exists(storeFile)) return;
    const tracking::Store store(storeFile, tracking::Store::Mode::ReadOnly);
    const auto active = std::ranges::count_if(store.activeRuns(), [&](const tracking::Run& run) {
        return tracking::tagOf(run, tracking::tag::kCluster) == profile.name;
    });
    if (active == 0) return;
    throw InputError(std::to_string(active) + (active == 1 ? " run is" : " runs are") +
                         " still active on the sandbox, which would be removed with its checkpoints.",
                     "Wait with `dailies follow`, `dailies pull` what you need, or add --yes.");
}

int down(const std::filesystem::path& folder, const std::filesystem::path& store, bool evenIfRunsAreActive) {
    auto profiles = loadProfiles();
    const auto profile = profiles.find("sandbox");
    const bool known = profile && profile->workspace.starts_with(folder.string() + "/");
    const bool ran = remote::sandbox::status(folder).running;
    if (ran && known && !evenIfRunsAreActive) requireNoRuns(*profile, store);
    remote::sandbox::down(folder);
    if (profile) profiles.remove("sandbox");
    std::cout << (ran ? "The sandbox is down and its folder is gone. What was brought here is kept.\n"
                      : "The sandbox does not run.\n");
    return 0;
}

}  // namespace

void addSandboxCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<remote::sandbox::Options>();
    options->folder = remote::sandbox::defaultFolder();
    auto* sandbox = app.add_subcommand(
        "sandbox", "A real Slurm cluster with SSH on this machine, for trying and testing");
    sandbox->require_subcommand(1);
    const auto addFolder = [options](CLI::App* command) {
        command->add_option("--dir", options->folder, "Folder that holds all of it")->type_name("D");
    };
    auto* upCommand =
        sandbox->add_subcommand("up", "Start it (or find it running) and add the cluster \"sandbox\"");
    addFolder(upCommand);
    upCommand->add_flag("--accounting", options->accounting,
                        "With slurmdbd on a MariaDB of its own, as clusters with accounting have it");
    upCommand->add_option("--nodes", options->nodes, "Compute nodes")
        ->check(CLI::Range(1, 64))
        ->type_name("N");
    upCommand->add_option("--cpus-per-node", options->cpusPerNode, "Cores of each; 0 divides this machine's")
        ->check(CLI::Range(0, 1024))
        ->type_name("N");
    upCommand->add_option("--gpus-per-node", options->gpusPerNode, "GPUs that each pretends to have")
        ->check(CLI::Range(0, 64))
        ->type_name("N");
    upCommand->callback([options, &context] {
        context.action = [options, &context] { return start(*options, context.stop); };
    });
    auto* statusCommand =
        sandbox->add_subcommand("status", "Say whether it runs; exit status 1 when it does not");
    addFolder(statusCommand);
    statusCommand->callback(
        [options, &context] { context.action = [options] { return printStatus(options->folder); }; });
    auto* downCommand = sandbox->add_subcommand("down", "End what `up` started and remove its folder");
    addFolder(downCommand);
    auto store = std::make_shared<std::filesystem::path>();
    addStoreOption(*downCommand, *store);
    auto yes = std::make_shared<bool>(false);
    downCommand->add_flag("--yes", *yes, "Even while runs on it are not over");
    downCommand->callback([options, store, yes, &context] {
        context.action = [options, store, yes] { return down(options->folder, *store, *yes); };
    });
}

}  // namespace dailies::app

#include "remote/sandbox/sandbox.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"

#include <iostream>

namespace dailies::app {

namespace {

int start(const remote::sandbox::Options& options) {
    const auto status =
        remote::sandbox::up(options, [](const std::string& line) { std::cerr << "  " << line << '\n'; });
    loadProfiles().put(*status.profile);
    std::cout << status.summary << '\n';
    return 0;
}

int printStatus(const std::filesystem::path& folder) {
    const auto status = remote::sandbox::status(folder);
    std::cout << status.summary << '\n';
    return status.running ? 0 : 1;
}

int down(const std::filesystem::path& folder) {
    remote::sandbox::down(folder);
    auto profiles = loadProfiles();
    if (profiles.find("sandbox")) profiles.remove("sandbox");
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
    upCommand->callback([options, &context] { context.action = [options] { return start(*options); }; });
    auto* statusCommand =
        sandbox->add_subcommand("status", "Say whether it runs; exit status 1 when it does not");
    addFolder(statusCommand);
    statusCommand->callback(
        [options, &context] { context.action = [options] { return printStatus(options->folder); }; });
    auto* downCommand = sandbox->add_subcommand("down", "End what `up` started and remove its folder");
    addFolder(downCommand);
    downCommand->callback(
        [options, &context] { context.action = [options] { return down(options->folder); }; });
}

}  // namespace dailies::app

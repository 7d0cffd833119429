#include "remote/cluster/export_checkpoint.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <iostream>

namespace dailies::app {

void addExportCheckpointCommand(CLI::App& app, Context& context) {
    struct Words {
        std::filesystem::path store, folder;
        std::string run, checkpoint = "last";
        bool average = false;
    };
    auto words = std::make_shared<Words>();
    auto* command = app.add_subcommand("export-checkpoint",
                                       "Bring the weights of a run's checkpoint here, as safetensors for "
                                       "Python; prints the folder that holds them");
    command->add_option("run", words->run, "Run id, its beginning, or its name")->required();
    command->add_option("--to", words->folder, "A folder, in which they get one of their own")
        ->required()
        ->type_name("DIR");
    command->add_option("--checkpoint", words->checkpoint, "last, best, or a step");
    command->add_flag("--average", words->average, "The averaged weights");
    addStoreOption(*command, words->store);
    command->callback([words, &context] {
        context.action = [words, &context] {
            const tracking::Store store(words->store);
            const std::string runId = chooseRun(store, words->run);
            const remote::CheckpointExport wanted{runId, remote::parseCheckpointChoice(words->checkpoint),
                                                  words->average, words->folder};
            const auto cluster = connectToClusterOf(store, runId, context.stop);
            if (!cluster->session().stat(cluster->runFolder(runId) + "/checkpoints"))
                throw Error(
                    "Run " + runId + " has no checkpoint on cluster '" + cluster->profile().name + "'.",
                    "Its folder may have been removed there; `dailies pull` brings whole runs here "
                    "before that.");
            const auto trainer =
                remote::ensureTrainer(*cluster, remote::makeSourceBundle(), say, context.stop);
            std::cout
                << remote::exportCheckpoint(*cluster, store, wanted, trainer, say, context.stop).string()
                << '\n';
            return 0;
        };
    });
}

}  // namespace dailies::app

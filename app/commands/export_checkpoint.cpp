#include "remote/service/export_checkpoint.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <iostream>

namespace dailies::app {

void addExportCheckpointCommand(CLI::App& app, Context& context) {
    struct Options {
        std::filesystem::path store, folder;
        std::string run, checkpoint = "last";
        bool average = false;
    };
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("export-checkpoint",
                                       "Bring the weights of a run's checkpoint here, as safetensors for "
                                       "Python; prints the folder that holds them");
    command->add_option("run", options->run, "Run id, id prefix, or name")->required();
    command->add_option("--to", options->folder, "A folder, in which they get one of their own")
        ->required()
        ->type_name("DIR");
    command->add_option("--checkpoint", options->checkpoint, "last, best, or a step");
    command->add_flag("--average", options->average, "The averaged weights");
    addStoreOption(*command, options->store);
    command->callback([options, &context] {
        context.action = [options, &context] {
            const tracking::Store store(options->store);
            const std::string runId = resolveRunId(store, options->run);
            const remote::CheckpointExport wanted{runId, remote::parseCheckpointChoice(options->checkpoint),
                                                  options->average, options->folder};
            const auto cluster = connectToClusterOf(store, runId, context.stop);
            std::cout << remote::exportCheckpoint(*cluster, store, wanted, say, context.stop).string()
                      << '\n';
            return 0;
        };
    });
}

}  // namespace dailies::app

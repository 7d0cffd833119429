#include "remote/launch/extend.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"

#include <iostream>

namespace dailies::app {

void addExtendCommand(CLI::App& app, Context& context) {
    struct Options {
        std::filesystem::path store;
        std::string run;
        std::int64_t steps = 0;
    };
    auto options = std::make_shared<Options>();
    auto* command =
        app.add_subcommand("extend", "Continue training a run that has ended, from its newest checkpoint");
    command->add_option("run", options->run, "Run id, id prefix, or name")->required();
    command->add_option("--steps", options->steps, "Up to which step")->required()->type_name("N");
    addStoreOption(*command, options->store);
    command->callback([options, &context] {
        context.action = [options, &context] {
            tracking::Store store(options->store);
            const std::string runId = resolveRunId(store, options->run);
            const auto cluster = connectToClusterOf(store, runId, context.stop);
            remote::extendRun(*cluster, store, runId, options->steps, context.stop);
            std::cerr << "Submitted run " << runId << " again, up to step " << options->steps << ".\n";
            return 0;
        };
    });
}

}  // namespace dailies::app

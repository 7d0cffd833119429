#include "remote/cluster/extend.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"

#include <iostream>

namespace dailies::app {

void addExtendCommand(CLI::App& app, Context& context) {
    struct Words {
        std::filesystem::path store;
        std::string run;
        std::int64_t steps = 0;
    };
    auto words = std::make_shared<Words>();
    auto* command =
        app.add_subcommand("extend", "Let a run that has ended train on from its newest checkpoint");
    command->add_option("run", words->run, "Run id, its beginning, or its name")->required();
    command->add_option("--steps", words->steps, "Up to which step")->required()->type_name("N");
    addStoreOption(*command, words->store);
    command->callback([words, &context] {
        context.action = [words, &context] {
            tracking::Store store(words->store);
            const std::string runId = chooseRun(store, words->run);
            const auto cluster = connectToClusterOf(store, runId, context.stop);
            remote::extendRun(*cluster, store, runId, words->steps, context.stop);
            std::cerr << "Submitted run " << runId << " again, up to step " << words->steps << ".\n";
            return 0;
        };
    });
}

}  // namespace dailies::app

#include "app/commands/command.h"
#include "app/terminal/print_json.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/store.h"
#include "remote/follow/mirror_budget.h"

#include <iostream>
#include <optional>

namespace dailies::app {

namespace {

struct MirrorOptions {
    std::filesystem::path store;
    std::string format;
    std::optional<double> size;
};

int showMirror(const MirrorOptions& options) {
    if (options.size) remote::saveMirrorSize(*options.size);
    const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
    const remote::MirrorBudget budget(store, tracking::artifactRoot(store.file()));
    const auto use = budget.use();
    if (options.format == "json")
        printJson(Json{{"bytes", use.bytes},
                       {"limit", budget.limits().bytes},
                       {"clips", use.clips},
                       {"beginnings", use.heads},
                       {"proxies", use.proxies}});
    else
        std::cout << remote::describe(use, budget.limits()) << '\n';
    return 0;
}

}  // namespace

void addMirrorCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<MirrorOptions>();
    auto* command = app.add_subcommand("mirror", "Show or set how much disk space downloaded clips may use");
    command
        ->add_option("--size", options->size,
                     "Maximum GiB of clips; 0: the default, 20. Rated clips are kept, others are evicted, "
                     "least recently "
                     "watched first, and fetched again when opened")
        ->check(CLI::NonNegativeNumber)
        ->type_name("GIB");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] { context.action = [options] { return showMirror(*options); }; });
}

}  // namespace dailies::app

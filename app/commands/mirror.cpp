#include "app/commands/command.h"
#include "app/terminal/print_json.h"
#include "core/tracking/files_folder.h"
#include "core/tracking/store.h"
#include "remote/cluster/mirror_budget.h"

#include <iostream>
#include <optional>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store;
    std::string format;
    std::optional<double> size;
};

int showMirror(const Words& words) {
    if (words.size) remote::chooseMirrorSize(*words.size);
    const tracking::Store store(words.store, tracking::Store::Mode::ReadOnly);
    const remote::MirrorBudget budget(store, tracking::filesFolder(store.file()));
    const auto use = budget.use();
    if (words.format == "json")
        printJson(Json{{"bytes", use.bytes},
                       {"limit", budget.limits().bytes},
                       {"clips", use.clips},
                       {"beginnings", use.heads}});
    else
        std::cout << remote::describe(use, budget.limits()) << '\n';
    return 0;
}

}  // namespace

void addMirrorCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command = app.add_subcommand(
        "mirror", "Say how much of this disk the clips take; choose how much they may take");
    command
        ->add_option(
            "--size", words->size,
            "At most so many GiB of clips; 0: the usual 20. Judged clips stay, others go, least recently "
            "watched first, and come again when they are opened")
        ->check(CLI::NonNegativeNumber)
        ->type_name("GIB");
    addStoreOption(*command, words->store);
    addFormatOption(*command, words->format, {"table", "json"});
    command->callback([words, &context] { context.action = [words] { return showMirror(*words); }; });
}

}  // namespace dailies::app

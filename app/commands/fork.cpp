#include "remote/launch/fork.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/sweep/parameter.h"
#include "remote/service/preference_fork.h"

#include <iostream>

namespace dailies::app {

namespace {

struct ForkOptions {
    std::filesystem::path store, output;
    std::string run, name;
    std::vector<std::string> changes;
    bool force = false, onPreferences = false;
};

/// "optimizer.lr=0.02": one value, which the sweep's one run has in the place of the forked run's.
void change(Json& config, const std::string& assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        throw InputError("--set: found " + sanitizedText(assignment) + ", expected KEY=VALUE.",
                         "For example: --set optimizer.lr=0.02");
    const auto key = assignment.substr(0, equals);
    const auto* field = config::findField(key);
    if (!field) throw InputError("--set " + sweep::unknownKey(key));
    config::setByKey(config, key, config::parseValue(*field, assignment.substr(equals + 1)));
}

sweep::Sweep forkOnPreferences(const tracking::Store& store, const std::string& runId,
                               std::vector<std::string>& notices, std::stop_token stop) {
    remote::PreferenceForkRequest request{.base = runId};
    for (const auto& run : store.runs()) request.comparedRuns.push_back(run.id);
    const auto cluster = connectToClusterOf(store, runId, stop);
    auto fork = remote::forkOnPreferences(*cluster, store, request, stop);
    notices = std::move(fork.notices);
    notices.push_back(judging::preferencesText(fork.written));
    return fork.sweep;
}

int fork(const ForkOptions& options, std::stop_token stop) {
    const tracking::Store store(options.store, tracking::Store::Mode::ReadOnly);
    std::vector<std::string> notices;
    const auto runId = resolveRunId(store, options.run);
    auto sweep = options.onPreferences ? forkOnPreferences(store, runId, notices, stop)
                                       : remote::makeFork(store, *store.run(runId), &notices);
    for (const auto& assignment : options.changes) change(sweep.config, assignment);
    if (!options.name.empty()) sweep.name = options.name;
    sweep::expand(sweep);  // changes that do not go together are refused here, not at launch
    for (const auto& notice : notices) std::cerr << notice << '\n';
    const auto yaml = sweep::toYaml(sweep);
    if (options.output.empty()) {
        std::cout << yaml;
        return 0;
    }
    if (std::filesystem::exists(options.output) && !options.force)
        throw InputError(sanitizedText(options.output.string()) + " exists already.",
                         "Name another with --to, or replace it with --force.");
    writeFileAtomically(options.output, yaml);
    std::cerr << "Wrote " << options.output.string() << ". Launch it with: dailies launch "
              << shellQuote(options.output.string()) << '\n';
    return 0;
}

}  // namespace

void addForkCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<ForkOptions>();
    auto* command =
        app.add_subcommand("fork", "Print a sweep file that repeats a run, to be changed and launched");
    command->add_option("run", options->run, "Run id, id prefix, or name")->required();
    command->add_option("--set", options->changes, "Change a key of its config; may be given several times")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->add_flag(
        "--on-preferences", options->onPreferences,
        "Train an adapter of the run's newest checkpoint on what people preferred in blind arenas "
        "(DPO); the pairs are copied to its cluster");
    command->add_option("--name", options->name, "Name of the new sweep")->type_name("TEXT");
    auto* to = command->add_option("--to", options->output, "Write this file instead of standard output")
                   ->type_name("FILE");
    command->add_flag("--force", options->force, "Replace a file that is there")->needs(to);
    addStoreOption(*command, options->store);
    command->callback([options, &context] {
        context.action = [options, &context] { return fork(*options, context.stop); };
    });
}

}  // namespace dailies::app

#include "ui/launch/fork.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/compare/params_yaml.h"

namespace dailies::ui {

namespace {

std::string indented(const std::string& yaml) {
    std::string lines;
    for (const auto& line : split(yaml, '\n'))
        if (!line.empty()) lines += "  " + line + "\n";
    return lines;
}

}  // namespace

sweep::Sweep forkOf(const tracking::Store& store, const tracking::Run& run) {
    const std::string config = indented(compare::paramsToYaml(run));
    sweep::Sweep fork =
        sweep::parseSweep("name: fork\nmethod: grid\n" + (config.empty() ? "" : "config:\n" + config),
                          "the params of run " + run.name);
    fork.name = "fork of " + run.name;
    fork.experiment = run.experiment;
    const auto tag = run.tags.find(tracking::tag::kSweep);
    const auto record = tag == run.tags.end() ? std::nullopt : store.sweep(tag->second);
    if (!record) return fork;
    try {
        const sweep::Sweep origin = sweep::parseSweep(record->yaml, record->name);
        fork.metric = origin.metric;
        fork.goal = origin.goal;
        fork.resources = origin.resources;
        fork.environment = origin.environment;
    } catch (const Error&) {
        // A newer version wrote it: the run's params are enough.
    }
    return fork;
}

}  // namespace dailies::ui

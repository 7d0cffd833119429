#include "remote/launch/fork.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/sampled_run.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/program/program.h"

namespace dailies::remote {

namespace {

/// Defaults are left out: what a person sees as changed is what was changed.
Json withoutDefaults(const Json& config) {
    Json changed = Json::object();
    const Json flat = config::flatten(config);
    for (const auto& [key, value] : flat.items())
        if (value != config::findField(key)->defaultValue()) config::setByKey(changed, key, value);
    return changed;
}

void noticeUnknownKeys(const tracking::Run& run, std::vector<std::string>* notices) {
    std::vector<std::string> unknown;
    for (const auto& [key, value] : run.params)
        if (!config::findField(key)) unknown.push_back(sanitizedText(key));
    if (notices && !unknown.empty())
        notices->push_back("Dropped from the fork (unknown to this version): " + join(unknown, ", ") + ".");
}

}  // namespace

sweep::Sweep makeFork(const tracking::Store& store, const tracking::Run& run,
                      std::vector<std::string>* notices) {
    if (const auto source = store.run(tracking::tagOf(run, tracking::tag::kSampledRun)))
        return makeFork(store, *source, notices);
    if (!programOf(run).isForkable())
        throw InputError("Run " + sanitizedText(run.name) + " is one of " +
                             sanitizedText(tagOf(run, tracking::tag::kProgram)) +
                             ", and only runs of Dailies' own trainer can be forked.",
                         "Launch its sweep file with other values, or it again: dailies launch --again RUN.");
    const Json config = configOf(run);
    if (config.empty())
        throw InputError("Run " + sanitizedText(run.name) + " has no params that a launch could repeat.",
                         "Only runs of Dailies' own trainer can be forked.");
    noticeUnknownKeys(run, notices);
    sweep::Sweep fork;
    fork.config = withoutDefaults(config);
    fork.name = "fork of " + run.name;
    fork.experiment = run.experiment;
    const auto record = store.sweep(tracking::tagOf(run, tracking::tag::kSweep));
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

}  // namespace dailies::remote

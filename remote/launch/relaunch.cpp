#include "remote/launch/relaunch.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/sweep/parameter.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/source_runs.h"

#include <algorithm>
#include <map>
#include <regex>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;

tracking::SweepRecord requireTraining(const Cluster& cluster, const tracking::Store& store,
                                      const std::string& sweepId) {
    const auto record = store.sweep(sweepId);
    if (!record) throw InputError("There is no sweep " + sanitizedText(sweepId) + " in this store.");
    if (record->cluster != cluster.profile().name)
        throw InputError("Sweep " + sanitizedText(record->name) + " ran on cluster '" + record->cluster +
                             "', not on '" + cluster.profile().name + "'.",
                         "Connect to that one, or launch its sweep file here.");
    if (record->yaml.starts_with('{'))  // a sweep's file is YAML in block style
        throw InputError("Sweep " + sanitizedText(record->name) + " is not a training sweep.",
                         "Sample or score those again.");
    return *record;
}

/// The runs of the first submission; those that the sweep decided on later come from results.
std::vector<SweepRun> firstRuns(const tracking::Store& store, const std::string& sweepId,
                                const std::optional<std::string>& runId) {
    auto runs = sweepRuns(store, sweepId);
    std::erase_if(runs, [&](const SweepRun& entry) {
        return runId ? entry.run.id != *runId : !tagOf(entry.run, tag::kSubmission).empty();
    });
    if (runs.empty()) throw InputError("No run of that sweep is in this store any more.");
    return runs;
}

/// config.json of each run as it lies on the cluster; absent where it is gone.
std::map<std::string, Json> configsOnCluster(Cluster& cluster, const std::vector<SweepRun>& runs,
                                             std::stop_token stop) {
    constexpr char kUnit = '\x1f';
    std::string script;
    for (const auto& [task, run] : runs)
        script += "cat -- " + shellQuote(cluster.runFolder(run.id) + "/config.json") +
                  " 2>/dev/null\nprintf '\\037'\n";
    const auto texts = split(cluster.session().run(script, stop).out, kUnit);
    std::map<std::string, Json> configs;
    for (std::size_t i = 0; i < runs.size() && i < texts.size(); ++i)
        if (!trim(texts[i]).empty())
            configs[runs[i].run.id] = parseJson(texts[i], "config.json of " + runs[i].run.name);
    return configs;
}

/// The config that the run was launched with: an extension has written its own steps into the file and the
/// params.
Json asLaunched(Json config, const tracking::Run& run, const Json& planned) {
    if (run.tags.contains(tag::kExtendedTo)) config["steps"] = planned.at("steps");
    return config;
}

/// The script for these tasks under the new id, without what the first launch waited for.
std::string scriptFor(const tracking::SweepRecord& record, const std::string& newId, std::size_t tasks) {
    std::string script = singleRunScript(record.script, record.id, newId);
    if (script.ends_with("\n\n") && !record.script.ends_with("\n\n")) script.pop_back();
    if (tasks == 1) return script;
    // the limit of runs at once stays
    static const std::regex array(R"(^#SBATCH --array=\S*?(%\d+)?$)");
    std::string limit;
    for (const std::string& line : split(record.script, '\n'))
        if (std::smatch match; std::regex_match(line, match, array)) limit = match[1];
    std::string result;
    for (const std::string& line : split(script, '\n')) {
        const bool isArray = line == "#SBATCH --array=0";
        result += isArray ? "#SBATCH --array=0-" + std::to_string(tasks - 1) + limit : line;
        result += '\n';
    }
    result.pop_back();
    return result;
}

/// One run as a sweep: its values, and none that vary.
void becomeOneRun(sweep::Sweep& sweep, const Json& drawn, const std::string& runName) {
    sweep.name += " " + runName;
    sweep.method = "grid";
    sweep.runCap.reset();
    sweep.earlyStop.reset();
    for (auto& parameter : sweep.parameters) {
        const Json value = drawn.value(parameter.key, Json());
        const auto at = std::ranges::find(parameter.values, value);
        const auto index = static_cast<std::size_t>(at - parameter.values.begin());
        parameter.spellings = {std::string(spellingOf(parameter, index))};
        parameter.kind = sweep::Parameter::Kind::Fixed;
        parameter.values = {value};
    }
}

}  // namespace

Relaunch planRelaunch(Cluster& cluster, const tracking::Store& store, const RelaunchTarget& target,
                      const PresentProgram& present, std::stop_token stop) {
    const auto record = requireTraining(cluster, store, target.sweepId);
    const auto runs = firstRuns(store, target.sweepId, target.runId);
    Relaunch again;
    LaunchPlan& plan = again.plan;
    plan.sweepId = newId();
    plan.sweep = sweep::parseSweep(record.yaml, "sweep " + record.id);
    plan.sweep.after.reset();
    if (target.runId)
        becomeOneRun(plan.sweep, parameterValues(plan.sweep, runs.front().run), runs.front().run.name);
    const Program& program = programOf(plan.sweep);
    const auto configs = configsOnCluster(cluster, runs, stop);
    for (const auto& [task, run] : runs) {
        sweep::PlannedRun planned = sweep::plannedRun(plan.sweep, parameterValues(plan.sweep, run));
        planned.name = run.name;
        const auto config = configs.find(run.id);
        if (config == configs.end())
            again.differences.push_back(
                "The folder of run " + run.name +
                " is no longer on the cluster: its config is rebuilt from its params.");
        planned.config =
            asLaunched(config == configs.end() ? program.configAgain(run, planned.config) : config->second,
                       run, planned.config);
        plan.runs.push_back(std::move(planned));
        plan.runIds.push_back(runIdOf(plan.sweepId, plan.runIds.size()));
    }
    plan.script = scriptFor(record, plan.sweepId, plan.runs.size());
    RepeatedLaunch repeated{plan.sweep, plan.script, plan.runs, again.differences, present};
    const auto ready = program.prepareAgain(cluster, repeated, stop);
    for (const auto& run : plan.runs)
        plan.commands.push_back(program.command(plan.sweep, run, ready, cluster.workspace()));
    return again;
}

RelaunchTarget relaunchTargetOf(const tracking::Store& store, const std::string& runId, bool wholeSweep) {
    const auto run = requireRun(store, runId);
    return {requireSweep(store, run).id, wholeSweep ? std::nullopt : std::optional(runId)};
}

std::optional<tracking::SweepRecord> findSweep(const tracking::Store& store, const std::string& idOrName) {
    for (tracking::SweepRecord& record : store.sweeps())  // newest first
        if (record.name == idOrName || (idOrName.size() >= 6 && record.id.starts_with(idOrName)))
            return record;
    return std::nullopt;
}

}  // namespace dailies::remote

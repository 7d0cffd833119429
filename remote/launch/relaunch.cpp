#include "remote/launch/relaunch.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/config/train_config.h"
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

constexpr std::string_view kProgram = "program=";

/// The text of one word as `shellQuote` writes it.
std::string unquoted(std::string_view word) {
    std::string text;
    bool inside = false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i] == '\'')
            inside = !inside;
        else if (word[i] == '\\' && !inside && i + 1 < word.size())
            text += word[++i];
        else
            text += word[i];
    }
    return text;
}

/// Of the line `program='…'` of a script; empty: there is none.
std::string programIn(const std::string& script) {
    for (const std::string& line : split(script, '\n'))
        if (line.starts_with(kProgram)) return unquoted(trim(line.substr(kProgram.size())));
    return {};
}

std::string withProgram(const std::string& script, const std::string& program) {
    std::vector<std::string> lines = split(script, '\n');
    for (std::string& line : lines)
        if (line.starts_with(kProgram)) line = std::string(kProgram) + shellQuote(program);
    return join(lines, "\n");
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

/// The very files that were started then are started again, or nothing is.
void requireCode(Cluster& cluster, const sweep::Program& program, std::stop_token stop) {
    if (cluster.session().run("test -d " + shellQuote(program.code.folder) + "\n", stop).ok()) return;
    throw InputError("The code of " + sanitizedText(nameOf(program)) +
                         " is gone from the cluster: there is no folder " +
                         sanitizedText(program.code.folder) + ".",
                     "Launch its sweep file with the code that you mean.");
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

Relaunch planAgain(Cluster& cluster, const tracking::Store& store, const std::string& sweepId,
                   const std::optional<std::string>& runId,
                   const std::function<InstalledTrainer(const sweep::Environment&)>& trainer,
                   std::stop_token stop) {
    const auto record = requireTraining(cluster, store, sweepId);
    const auto runs = firstRuns(store, sweepId, runId);
    Relaunch again;
    LaunchPlan& plan = again.plan;
    plan.sweepId = newId();
    plan.sweep = sweep::parseSweep(record.yaml, "sweep " + record.id);
    plan.sweep.after.reset();
    if (runId) becomeOneRun(plan.sweep, parameterValues(plan.sweep, runs.front().run), runs.front().run.name);
    const auto configs = configsOnCluster(cluster, runs, stop);
    for (const auto& [task, run] : runs) {
        sweep::PlannedRun planned = sweep::plannedRun(plan.sweep, parameterValues(plan.sweep, run));
        planned.name = run.name;
        if (const auto config = configs.find(run.id); config != configs.end()) {
            planned.config = asLaunched(config->second, run, planned.config);
        } else {
            if (!plan.sweep.program)
                planned.config =
                    asLaunched(config::toJson(config::resolve(configOf(run))), run, planned.config);
            again.differences.push_back(
                "The folder of run " + run.name +
                " is no longer on the cluster: its config is rebuilt from its params.");
        }
        plan.runs.push_back(std::move(planned));
        plan.runIds.push_back(runIdOf(plan.sweepId, plan.runIds.size()));
    }
    plan.script = scriptFor(record, plan.sweepId, plan.runs.size());
    if (plan.sweep.program) {
        requireCode(cluster, *plan.sweep.program, stop);
        return again;
    }
    const auto program = programIn(plan.script);
    if (program.empty())
        throw InputError("The script of sweep " + sanitizedText(record.name) + " names no program.",
                         "Launch its sweep file instead.");
    // a person's own, which the job's shell reads: it is theirs to keep
    if (program.find('$') != std::string::npos) return again;
    if (cluster.session().run("test -x " + shellQuote(program) + "\n", stop).ok()) return again;
    const auto present = trainer(plan.sweep.environment);
    plan.script = withProgram(plan.script, present.program);
    again.differences.push_back("The trainer of that launch is no longer on the cluster (" + program +
                                "): version " + present.hash + " runs instead.");
    for (auto& planned : plan.runs) {
        Json resolved = config::toJson(config::resolve(planned.config));
        if (resolved == planned.config) continue;
        planned.config = std::move(resolved);
        again.differences.push_back("Run " + planned.name +
                                    " has keys that the earlier trainer did not know: "
                                    "they take their defaults.");
    }
    return again;
}

}  // namespace

Relaunch planRelaunch(Cluster& cluster, const tracking::Store& store, const std::string& sweepId,
                      const std::optional<std::string>& runId,
                      const std::function<InstalledTrainer(const sweep::Environment&)>& trainer,
                      std::stop_token stop) {
    auto again = planAgain(cluster, store, sweepId, runId, trainer, stop);
    auto& plan = again.plan;
    const ReadyProgram ready{{}, programIn(plan.script)};
    for (const auto& run : plan.runs)
        plan.commands.push_back(programOf(plan.sweep).command(plan.sweep, run, ready, cluster.workspace()));
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

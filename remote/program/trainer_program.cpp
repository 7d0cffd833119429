#include "remote/program/trainer_program.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/no_clips_reason.h"
#include "core/config/train_config.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/fit/layout_question.h"
#include "remote/trainer_install/source_bundle.h"
#include "remote/trainer_install/trainer_install.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace dailies::remote {

namespace {

/// What `dailies-train train` logs of a run, by whose names a goal is misspelt. Scores and reviews come from
/// elsewhere, under names of their own.
const std::vector<std::string>& loggedMetrics() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all{"loss",
                                     "lr",
                                     "grad_norm",
                                     "preference_accuracy",
                                     "step_seconds",
                                     "clips_per_second",
                                     "tokens_per_second",
                                     "data_wait",
                                     "tflops",
                                     "mfu",
                                     "memory_gib",
                                     "slowest_rank",
                                     "sent_mib",
                                     "adherence",
                                     "adherence_colour",
                                     "adherence_shape",
                                     "adherence_direction",
                                     "adherence_shirt",
                                     "adherence_trousers",
                                     "pose_error",
                                     "background_error",
                                     "flicker",
                                     "val/loss",
                                     "val/clip_error",
                                     "checkpoint_seconds",
                                     "checkpoint_stall_seconds",
                                     "review/rating",
                                     "review/arena"};
        for (int i = 0; i < 10; ++i) all.push_back("loss/decile_" + std::to_string(i));
        return all;
    }();
    return names;
}

std::optional<ClusterFinding> findingOfMetric(const sweep::Sweep& sweep) {
    const auto& metric = sweep.metric;
    const auto& logged = loggedMetrics();
    if (metric.empty() || std::ranges::find(logged, metric) != logged.end()) return std::nullopt;
    for (const char* front : {"score/", "review/", "time/", "val/loss_"})
        if (metric.starts_with(front)) return std::nullopt;
    const auto meant = nearestWord(metric, logged);
    return ClusterFinding{"Metric", Verdict::Warn,
                          "metric.name is \"" + sanitizedText(metric) + "\", which the trainer does not log" +
                              (sweep::isAdaptive(sweep) || sweep.earlyStop
                                   ? std::string("; the metric that the sweep optimizes would never arrive")
                                   : std::string()),
                          meant.empty()
                              ? "The trainer logs loss, adherence, val/loss and others; a scorer of "
                                "yours gives score/NAME."
                              : "Did you mean " + meant + "? A scorer of yours gives score/NAME."};
}

/// A run that shows no clips is found out when its first ones are missed, hours later.
std::optional<ClusterFinding> findingOfClips(const sweep::Sweep& sweep) {
    try {
        const auto why = config::noClipsReason(config::resolve(sweep.config));
        if (why.empty()) return std::nullopt;
        const auto remedy = why.find(". ") + 2;
        return ClusterFinding{"Clips", Verdict::Warn,
                              "the runs produce no clips while training: " + why.substr(0, remedy - 2),
                              why.substr(remedy)};
    } catch (const InputError&) {
        return std::nullopt;  // parameters complete it, or it is refused by its keys
    }
}

std::string binaryOf(const ReadyProgram& ready, const std::string& workspace) {
    return trainerPath(workspace, {ready.version, ready.path});
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

}  // namespace

ReadyProgram TrainerProgram::prepare(Cluster& cluster, sweep::Sweep& sweep, const Progress& progress,
                                     std::stop_token stop) const {
    auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop, sweep.environment);
    return {std::move(trainer.hash), std::move(trainer.program)};
}

ReadyProgram TrainerProgram::present(const std::string& workspace) const {
    const auto version = makeSourceBundle().hash;
    return {version, workspace + "/trainer/" + version + "/build/bin/dailies-train"};
}

ReadyProgram TrainerProgram::prepareAgain(Cluster& cluster, RepeatedLaunch& launch,
                                          std::stop_token stop) const {
    const auto path = programIn(launch.script);
    if (path.empty())
        throw InputError("The script of sweep " + sanitizedText(launch.sweep.name) + " names no program.",
                         "Launch its sweep file instead.");
    // a person's own, which the job's shell reads: it is theirs to keep
    if (path.find('$') != std::string::npos) return {{}, path};
    if (cluster.session().run("test -x " + shellQuote(path) + "\n", stop).ok()) return {{}, path};
    const auto present = launch.present(launch.sweep);
    launch.script = withProgram(launch.script, present.path);
    launch.differences.push_back("The trainer of that launch is no longer on the cluster (" + path +
                                 "): version " + present.version + " runs instead.");
    for (auto& planned : launch.runs) {
        Json resolved = config::toJson(config::resolve(planned.config));
        if (resolved == planned.config) continue;
        planned.config = std::move(resolved);
        launch.differences.push_back("Run " + planned.name +
                                     " has keys that the earlier trainer did not know: "
                                     "they take their defaults.");
    }
    return present;
}

ProgramParts TrainerProgram::parts(const sweep::Sweep& sweep, const ReadyProgram& ready,
                                   const std::string& workspace) const {
    const auto path = binaryOf(ready, workspace);
    return sweep.after && sweep.after->initFromBest ? trainerPartsWithInit(path)
                                                    : trainerParts(path, "train");
}

std::vector<std::string> TrainerProgram::command(const sweep::Sweep&, const sweep::PlannedRun&,
                                                 const ReadyProgram& ready,
                                                 const std::string& workspace) const {
    return {binaryOf(ready, workspace), "train", "--config", workspace + "/runs/RUN/config.json"};
}

std::map<std::string, std::string> TrainerProgram::runFiles(const sweep::Sweep&,
                                                            const sweep::PlannedRun&) const {
    return {};
}

std::map<std::string, std::string> TrainerProgram::tags(const sweep::Sweep&) const {
    return {};
}

std::vector<ClusterFinding> TrainerProgram::findings(const sweep::Sweep& sweep) const {
    std::vector<ClusterFinding> findings;
    if (auto metric = findingOfMetric(sweep)) findings.push_back(std::move(*metric));
    if (auto clips = findingOfClips(sweep)) findings.push_back(std::move(*clips));
    return findings;
}

MemoryCheck TrainerProgram::memory(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs,
                                   const ClusterProfile& profile, const slurm::ClusterFacts* facts) const {
    return checkMemory(sweep, runs, profile, facts);
}

std::optional<SweepStorage> TrainerProgram::storage(const std::vector<sweep::PlannedRun>& runs,
                                                    std::size_t total) const {
    return estimateStorage(runs, total);
}

std::optional<std::int64_t> TrainerProgram::steps(const tracking::Run& run) const {
    const auto steps = run.params.find("steps");
    return steps == run.params.end() ? 0 : std::atoll(steps->second.c_str());
}

std::optional<std::int64_t> TrainerProgram::plannedSteps(const Json& config) const {
    return config.value("steps", std::int64_t{0});
}

Json TrainerProgram::configAgain(const tracking::Run& run, Json) const {
    return config::toJson(config::resolve(configOf(run)));
}

Program::Predict TrainerProgram::predictor(const sweep::Sweep& sweep, const ClusterProfile& profile,
                                           const slurm::ClusterFacts& facts) const {
    return [predictor = std::make_shared<RunPredictor>(sweep.resources, profile, facts)](
               tracking::Run& run, const Json& config) { predictor->tag(run, config); };
}

}  // namespace dailies::remote

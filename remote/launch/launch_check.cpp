#include "remote/launch/launch_check.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/config/no_clips_reason.h"
#include "core/sweep/nccl.h"
#include "remote/cluster/environment_script.h"
#include "remote/fit/memory_check.h"
#include "remote/fit/resource_check.h"
#include "remote/fit/storage_check.h"
#include "remote/ssh/session_error.h"

#include <algorithm>
#include <optional>

namespace dailies::remote {

namespace {

constexpr int kNoSuchEnvironment = 78;  ///< as the lines of `setupLines` end
constexpr int kNoSuchImage = 79;

ClusterFinding findingOf(const MemoryCheck& memory) {
    const auto verdict = memory.verdict == planner::FitVerdict::tooLarge ? Verdict::Bad
                         : memory.verdict == planner::FitVerdict::tight  ? Verdict::Warn
                                                                         : Verdict::Good;
    return {"Memory", verdict, memory.text, memory.remedy};
}

/// The script as Slurm is to judge it: its folder is made only when it is sent, and a job that is waited for
/// tells nothing of the start.
std::string scriptToTest(const LaunchPlan& plan) {
    std::string script;
    for (const std::string& line : split(plan.script, '\n')) {
        if (line.starts_with("#SBATCH --chdir=") || line.starts_with("#SBATCH --dependency=")) continue;
        script += line + "\n";
    }
    return script;
}

/// What the shell that will run the script cannot read of it: a person's edit, or a setup line of the
/// profile.
std::vector<ClusterFinding> checkSyntax(Cluster& cluster, const std::string& script, std::stop_token stop) {
    const std::string end = "END_" + newId();
    const auto read = cluster.session().run(
        "bash -n <<'" + end + "'\n" + script + (script.ends_with('\n') ? "" : "\n") + end + "\n", stop);
    if (read.ok()) return {};
    return {{"Script", Verdict::Bad, "bash cannot read it: " + sanitizedText(trim(read.err)),
             "Correct that line of the script, or the setup lines of the cluster's profile."}};
}

ClusterFinding findingOf(const slurm::StartEstimate& start) {
    if (start.startTime == 0) return {"Slurm", Verdict::Good, "it would take the job", {}};
    const auto wait = start.startTime - unixMillis() / 1000;
    const std::string where = start.nodes.empty() ? "" : " on " + start.nodes;
    return {"Slurm",
            Verdict::Good,
            wait < 60 ? "the first run can start at once" + where
                      : "the first run starts in " + durationText(wait * 1000) + " at the latest" + where +
                            ", if the jobs before it use all their time",
            {}};
}

/// What `dailies-train train` logs of a run, by whose names a goal is misspelt. Scores and reviews come from
/// elsewhere, under names of their own.
const std::vector<std::string>& loggedMetrics() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all{"loss",
                                     "lr",
                                     "grad_norm",
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
                                   ? std::string("; what the sweep decides by would never come")
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
                              "the runs make none while they train: " + why.substr(0, remedy - 2),
                              why.substr(remedy)};
    } catch (const InputError&) {
        return std::nullopt;  // parameters complete it, or it is refused by its keys
    }
}

/// Modules, Python environment and container as the login node has them, where the trainer is built in them.
std::optional<ClusterFinding> findingOfEnvironment(Cluster& cluster, const sweep::Environment& environment,
                                                   std::stop_token stop) {
    const auto& image = environment.container.image;
    const bool isFile = image.starts_with('/');
    if (environment.modules.empty() && environment.venv.empty() && environment.conda.empty() && !isFile)
        return std::nullopt;
    auto lines = setupLines(environment, cluster.profile().setup);
    if (isFile)
        lines.push_back("[ -e " + shellQuote(image) + " ] || { echo " +
                        shellQuote("dailies: there is no container image " + image + ".") + " >&2; exit " +
                        std::to_string(kNoSuchImage) + "; }");
    const auto answer = cluster.session().run("bash -c " + shellQuote(join(lines, "\n")), stop);
    if (answer.exitCode != kNoSuchEnvironment && answer.exitCode != kNoSuchImage)
        return ClusterFinding{"Environment", Verdict::Good, "what the sweep names is there", {}};
    const auto said = answer.err.rfind("dailies: ");
    auto why = said == std::string::npos ? "it cannot be set up" : trim(answer.err.substr(said + 9));
    if (why.ends_with('.')) why.pop_back();
    return ClusterFinding{
        "Environment",
        // an image may lie on the compute nodes' own disks
        answer.exitCode == kNoSuchImage ? Verdict::Warn : Verdict::Bad, why,
        "Correct modules, venv, conda or container in the sweep or in the cluster's profile."};
}

}  // namespace

std::vector<ClusterFinding> checkOffline(const sweep::Sweep& sweep, std::size_t runs,
                                         const ClusterProfile& profile, const slurm::ClusterFacts* facts) {
    std::vector<ClusterFinding> findings;
    if (facts) findings = checkResources(sweep.resources, runs, profile, *facts);
    if (auto metric = findingOfMetric(sweep)) findings.push_back(std::move(*metric));
    if (auto clips = findingOfClips(sweep)) findings.push_back(std::move(*clips));
    const auto environment = sweep::overlay(sweep.environment, profile.environment);
    for (const auto& warning : sweep::ncclVariableWarnings(profile.setup, environment.variables))
        findings.push_back({"Variables", Verdict::Warn, warning, {}});
    if (const auto* fabric = sweep::findFabric(environment.fabric);
        fabric && fabric->oneNode && sweep.resources.nodes > 1)
        findings.push_back({"Fabric", Verdict::Warn,
                            "the settings of fabric " + environment.fabric + " are for one node, and " +
                                std::to_string(sweep.resources.nodes) + " are asked for",
                            "Choose what joins the nodes: ethernet, infiniband, roce or efa."});
    return findings;
}

LaunchCheck checkLaunch(Cluster& cluster, const LaunchPlan& plan, std::stop_token stop) {
    LaunchCheck check;
    const auto total =
        std::max(plan.runs.size(), sweep::isAdaptive(plan.sweep) ? sweep::runCountOf(plan.sweep) : 0);
    check.findings = checkOffline(plan.sweep, plan.runs.size(), cluster.profile(), &cluster.facts());
    check.findings.push_back(
        findingOf(checkMemory(plan.sweep, plan.runs, cluster.profile(), &cluster.facts())));
    if (auto environment = findingOfEnvironment(
            cluster, sweep::overlay(plan.sweep.environment, cluster.profile().environment), stop))
        check.findings.push_back(std::move(*environment));
    const auto room = cluster.session().run(
        "folder=" + shellQuote(cluster.workspace()) + std::string(kFreeSpaceScript), stop);
    check.findings.push_back(
        checkStorage(estimateStorage(plan.runs, total), parseFreeSpace(room.out), cluster.workspace()));
    std::ranges::move(checkSyntax(cluster, plan.script, stop), std::back_inserter(check.findings));
    try {
        const auto start = cluster.scheduler().testOnly(scriptToTest(plan), stop);
        check.startTime = start.startTime;
        check.findings.push_back(findingOf(start));
    } catch (const ssh::SessionError&) {
        throw;
    } catch (const Error& error) {
        check.findings.push_back({"Slurm", Verdict::Bad, error.what(), error.remedy()});
    }
    return check;
}

}  // namespace dailies::remote

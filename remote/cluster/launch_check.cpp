#include "remote/cluster/launch_check.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/sweep/nccl.h"
#include "remote/cluster/memory_check.h"
#include "remote/cluster/resource_check.h"
#include "remote/cluster/storage_check.h"
#include "remote/ssh/session_error.h"

#include <algorithm>

namespace dailies::remote {

namespace {

ClusterFinding findingOf(const MemoryCheck& memory) {
    const auto verdict = memory.verdict == planner::Verdict::tooLarge ? Verdict::Bad
                         : memory.verdict == planner::Verdict::tight  ? Verdict::Warn
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
    return {{"Script", Verdict::Bad, "bash cannot read it: " + inertText(trim(read.err)),
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

}  // namespace

std::vector<ClusterFinding> checkWords(const sweep::Sweep& sweep, std::size_t runs,
                                       const ClusterProfile& profile, const slurm::ClusterFacts* facts) {
    std::vector<ClusterFinding> findings;
    if (facts) findings = checkResources(sweep.resources, runs, profile, *facts);
    const auto environment = sweep::over(sweep.environment, profile.environment);
    for (const auto& warning : sweep::warningsOfVariables(profile.setup, environment.variables))
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
    check.findings = checkWords(plan.sweep, plan.runs.size(), cluster.profile(), &cluster.facts());
    check.findings.push_back(
        findingOf(checkMemory(plan.sweep, plan.runs, cluster.profile(), &cluster.facts())));
    const auto room =
        cluster.session().run("folder=" + shellQuote(cluster.workspace()) + std::string(kAskForRoom), stop);
    check.findings.push_back(
        judgeStorage(storageOf(plan.runs, total), parseRoom(room.out), cluster.workspace()));
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

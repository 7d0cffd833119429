#include "remote/launch/launch_check.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/sweep/nccl.h"
#include "remote/cluster/environment_script.h"
#include "remote/fit/resource_check.h"
#include "remote/program/program.h"
#include "remote/ssh/session_error.h"

#include <algorithm>
#include <iterator>
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
    return {{"Script", Verdict::Bad, "bash reports a syntax error: " + sanitizedText(trim(read.err)),
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
        return ClusterFinding{
            "Environment", Verdict::Good, "modules, environment and container are available", {}};
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
    std::ranges::move(programOf(sweep).findings(sweep), std::back_inserter(findings));
    const auto environment = sweep::overlay(sweep.environment, profile.environment);
    for (const auto& warning : sweep::ncclVariableWarnings(profile.setup, environment.variables))
        findings.push_back({"Variables", Verdict::Warn, warning, {}});
    if (const auto* fabric = sweep::findFabric(environment.fabric);
        fabric && fabric->oneNode && sweep.resources.nodes > 1)
        findings.push_back({"Fabric", Verdict::Warn,
                            "the fabric " + environment.fabric + " is for a single node, but " +
                                std::to_string(sweep.resources.nodes) + " are requested",
                            "Choose what joins the nodes: ethernet, infiniband, roce or efa."});
    return findings;
}

LaunchCheck checkLaunch(Cluster& cluster, const LaunchPlan& plan, std::stop_token stop) {
    LaunchCheck check;
    const auto total =
        std::max(plan.runs.size(), sweep::isAdaptive(plan.sweep) ? sweep::runCountOf(plan.sweep) : 0);
    check.findings = checkOffline(plan.sweep, plan.runs.size(), cluster.profile(), &cluster.facts());
    const Program& program = programOf(plan.sweep);
    check.findings.push_back(
        findingOf(program.memory(plan.sweep, plan.runs, cluster.profile(), &cluster.facts())));
    if (auto environment = findingOfEnvironment(
            cluster, sweep::overlay(plan.sweep.environment, cluster.profile().environment), stop))
        check.findings.push_back(std::move(*environment));
    if (const auto need = program.storage(plan.runs, total)) {
        const auto room = cluster.session().run(
            "folder=" + shellQuote(cluster.workspace()) + std::string(kFreeSpaceScript), stop);
        check.findings.push_back(checkStorage(*need, parseFreeSpace(room.out), cluster.workspace()));
    }
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

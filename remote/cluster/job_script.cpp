#include "remote/cluster/job_script.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/resources.h"
#include "remote/cluster/environment_script.h"
#include "remote/cluster/preflight.h"
#include "remote/cluster/templates.h"

#include <algorithm>
#include <map>

namespace dailies::remote {

namespace {

constexpr std::string_view kLettersAndDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// One #SBATCH line, or none for an empty value. sbatch splits these lines by rules of its own, so only plain
/// words are let through.
std::string directive(const std::string& option, const std::string& value) {
    if (value.empty()) return {};
    static const std::string accepted = std::string(kLettersAndDigits) + "._-+:,@=%/";
    if (value.find_first_not_of(accepted) != std::string::npos)
        throw InputError("'" + inertText(value) + "' cannot be the " + option + " of a job.",
                         "Letters, digits and . _ - + : , @ = / are accepted.");
    return "#SBATCH --" + option + "=" + value + "\n";
}

std::string directive(const std::string& option, std::size_t value) {
    return directive(option, std::to_string(value));
}

/// sbatch reads a quoted value as a shell does, within double quotes.
std::string quotedDirective(const std::string& option, const std::string& path) {
    if (path.empty()) return {};
    std::string quoted;
    for (const char c : path) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return "#SBATCH --" + option + "=\"" + quoted + "\"\n";
}

/// Slurm takes the folder, too, for a part of the pattern that names a job's output: with these in it no job
/// starts, and nothing says why.
std::string workingFolder(const std::string& folder) {
    if (folder.find_first_of("\\%") != std::string::npos)
        throw InputError("Slurm cannot start jobs in " + inertText(folder) + ": its path holds \\ or %.",
                         "Choose another workspace on the cluster.");
    return quotedDirective("chdir", folder);
}

/// One pass over the template, so that a value which looks like a placeholder stays what it is.
std::string fill(std::string_view text, const std::map<std::string, std::string, std::less<>>& values) {
    std::string filled;
    while (!text.empty()) {
        const auto begin = text.find('@');
        filled += text.substr(0, begin);
        if (begin == std::string_view::npos) break;
        text.remove_prefix(begin + 1);
        const auto end = text.find('@');
        const auto value = end == std::string_view::npos ? values.end() : values.find(text.substr(0, end));
        if (value == values.end()) {
            filled += '@';
            continue;
        }
        filled += value->second;
        text.remove_prefix(end + 1);
    }
    return filled;
}

std::string withoutLastLineFeed(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

/// The step that looks at the nodes of one run; none where they are not worth it.
std::string preflightStep(const ArrayJob& job, const EnvironmentScript& environment) {
    const auto& wanted = job.resources;
    if (!wanted.preflight || wanted.nodes < 2 || job.verb != "train") return {};
    const int ranks = wanted.gpusPerNode > 0 ? wanted.ranksPerNode : 1;
    return "\n" +
           withoutLastLineFeed(
               fill(kPreflightStep, {{"PREFLIGHT_RANKS", std::to_string(std::max(ranks, 1))},
                                     {"PREFLIGHT_BUDGET", std::to_string(kPreflightBudget)},
                                     {"PREFLIGHT_SECONDS", std::to_string(kPreflightBudget + 30)},
                                     {"RUN", join(environment.runInside(), " ")},
                                     {"MAX_BAD_NODES", std::to_string(kMaxBadNodes)}})) +
           "\n";
}

std::string sitePlace(const sweep::Resources& wanted, const ClusterProfile& profile) {
    return directive("partition", firstSet(wanted.partition, profile.partition)) +
           directive("account", firstSet(wanted.account, profile.account)) +
           directive("qos", firstSet(wanted.qos, profile.qos)) + directive("reservation", wanted.reservation);
}

/// Which nodes, and what of them.
std::string nodesWanted(const sweep::Resources& wanted) {
    std::string lines;
    if (wanted.gpusPerNode > 0)
        lines += directive("gres", "gpu:" + (wanted.gpuType.empty() ? "" : wanted.gpuType + ":") +
                                       std::to_string(wanted.gpusPerNode));
    lines += directive("mem", wanted.memory);
    lines += quotedDirective("constraint", wanted.constraint);
    lines += quotedDirective("nodelist", wanted.nodeList);
    lines += quotedDirective("exclude", wanted.exclude);
    if (wanted.exclusive) lines += "#SBATCH --exclusive\n";
    return lines;
}

/// A job whose dependency can never be satisfied would wait for ever without the second line.
std::string dependency(const Dependency& after) {
    if (after.jobs.empty()) return {};
    return directive("dependency",
                     std::string(after.whateverEnd ? "afterany" : "afterok") + ":" + join(after.jobs, ":")) +
           "#SBATCH --kill-on-invalid-dep=yes\n";
}

/// How long before the time limit the trainer is asked to stop: a minute, but never so much of a short limit
/// that nothing is left.
std::int64_t stopLeadSeconds(const std::string& timeLimit) {
    const std::int64_t limit = sweep::secondsOf(timeLimit);
    return limit > 0 ? std::clamp<std::int64_t>(limit / 5, 1, 60) : 60;
}

}  // namespace

std::string jobName(const std::string& text) {
    std::string name;
    for (const char c : text)
        name +=
            kLettersAndDigits.find(c) != std::string_view::npos || c == '.' || c == '_' || c == '-' ? c : '-';
    const auto first = name.find_first_not_of("-.");  // "-x" reads as an option, ".x" as a hidden file
    name = first == std::string::npos ? "" : name.substr(first, 64);
    return name.empty() ? "dailies" : name;
}

std::string arrayScript(const ArrayJob& job, const ClusterProfile& profile) {
    const sweep::Resources& wanted = job.resources;
    if (job.tasks < 1) throw InputError("The sweep has no runs.", "Give at least one parameter one value.");
    const auto atLeastOne = [](int value) { return static_cast<std::size_t>(std::max(value, 1)); };
    std::string directives;
    directives += directive("job-name", jobName(job.sweepName));
    directives += directive("comment", job.sweepId);
    directives += directive("array", "0-" + std::to_string(job.tasks - 1) + "%" +
                                         std::to_string(atLeastOne(wanted.parallelRuns)));
    directives += sitePlace(wanted, profile);
    directives += directive("nodes", atLeastOne(wanted.nodes));
    directives += directive("ntasks-per-node", atLeastOne(wanted.ranksPerNode));
    directives += directive("cpus-per-task", atLeastOne(wanted.cpusPerRank));
    directives += nodesWanted(wanted);
    directives += directive("time", wanted.timeLimit);
    directives += dependency(job.after);
    directives += "#SBATCH --requeue\n#SBATCH --open-mode=append\n";
    directives += directive("signal", "B:USR1@" + std::to_string(stopLeadSeconds(wanted.timeLimit)));
    // Slurm cannot name a run's folder: its own output goes here, and the script redirects the rest into the
    // run's logs.
    directives += workingFolder(job.workspace + "/sweeps/" + job.sweepId);
    directives += "#SBATCH --output=slurm-%A_%a.out\n";
    const auto environment = scriptOf(sweep::over(job.environment, profile.environment), profile.setup,
                                      {.workspace = job.workspace, .gpus = wanted.gpusPerNode > 0});
    return fill(kSweepTemplate, {{"DIRECTIVES", withoutLastLineFeed(directives)},
                                 {"WORKSPACE", shellQuote(job.workspace)},
                                 {"SWEEP", shellQuote(job.sweepId)},
                                 {"PROGRAM", shellQuote(job.program)},
                                 {"VERB", job.verb},
                                 {"CPUS_PER_RANK", std::to_string(atLeastOne(wanted.cpusPerRank))},
                                 {"MAX_REQUEUES", std::to_string(kMaxRequeues)},
                                 {"MAX_KILLS", std::to_string(kMaxKills)},
                                 {"MAX_HANGS", std::to_string(kMaxHangs)},
                                 {"PREFLIGHT", preflightStep(job, environment)},
                                 {"SETUP", join(environment.lines, "\n")},
                                 {"SRUN_OPTIONS", join(environment.srunOptions, " ")},
                                 {"LAUNCHER", join(environment.launcher, " ")}});
}

std::string singleRunScript(const std::string& sweepScript, const std::string& sweepId,
                            const std::string& submission) {
    std::string script;
    for (std::string line : split(sweepScript, '\n')) {
        if (line.starts_with("#SBATCH --dependency=")) continue;  // what the sweep waited for is over
        if (line.starts_with("#SBATCH --array=")) line = "#SBATCH --array=0";
        for (auto at = line.find(sweepId); at != std::string::npos;
             at = line.find(sweepId, at + submission.size()))
            line.replace(at, sweepId.size(), submission);
        script += line + "\n";
    }
    return script;
}

std::string buildScript(const std::string& folder, const std::string& torchDir, int cpus,
                        const ClusterProfile& profile) {
    std::string directives = "#SBATCH --job-name=dailies-build\n";
    directives += sitePlace({}, profile);
    directives += "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n";
    directives += directive("cpus-per-task", static_cast<std::size_t>(std::max(cpus, 1)));
    directives += workingFolder(folder);
    directives += "#SBATCH --output=build.log\n#SBATCH --open-mode=truncate";
    const auto environment = scriptOf(profile.environment, profile.setup, {.workspace = folder});
    return fill(kBuildTemplate, {{"DIRECTIVES", directives},
                                 {"FOLDER", shellQuote(folder)},
                                 {"TORCH_DIR", shellQuote(torchDir)},
                                 {"FIND_TORCH", shellQuote(kFindTorch)},
                                 {"SETUP", join(environment.lines, "\n")},
                                 {"RUN", join(environment.runInside(), " ")}});
}

std::string checkScript(const std::string& folder, int gpus, const ClusterProfile& profile) {
    std::string directives = "#SBATCH --job-name=dailies-check\n";
    directives += sitePlace({}, profile);
    directives += "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --time=0:02:00\n";
    if (gpus > 0) directives += directive("gres", "gpu:" + std::to_string(gpus));
    directives += "#SBATCH --output=/dev/null\n#SBATCH --no-requeue";
    const auto environment =
        scriptOf(profile.environment, profile.setup, {.workspace = folder, .gpus = gpus > 0});
    return fill(kCheckTemplate, {{"DIRECTIVES", directives},
                                 {"FOLDER", shellQuote(folder)},
                                 {"TORCH_DIR", shellQuote(profile.torchDir)},
                                 {"SETUP", join(environment.lines, "\n")},
                                 {"RUN", join(environment.runInside(), " ")}});
}

std::string preflightScript(const std::string& folder, const std::string& program,
                            const PreflightRequest& request, const ClusterProfile& profile) {
    sweep::Resources place;
    place.partition = request.partition;
    const auto atLeastOne = [](int value) { return static_cast<std::size_t>(std::max(value, 1)); };
    const auto seconds = request.budget.count() + 30;
    std::string directives = "#SBATCH --job-name=dailies-preflight\n";
    directives += sitePlace(place, profile);
    directives += directive("nodes", atLeastOne(request.nodes));
    directives += directive("ntasks-per-node", atLeastOne(request.ranksPerNode));
    directives += directive("cpus-per-task", atLeastOne(request.cpusPerRank));
    if (request.gpusPerNode > 0)
        directives += directive("gres", "gpu:" + std::to_string(request.gpusPerNode));
    directives += directive("time", std::to_string(seconds / 60 + 2));
    directives += workingFolder(folder);
    directives += "#SBATCH --output=preflight.log\n#SBATCH --no-requeue";
    const auto environment =
        scriptOf(profile.environment, profile.setup, {.workspace = folder, .gpus = request.gpusPerNode > 0});
    return fill(kPreflightTemplate, {{"DIRECTIVES", directives},
                                     {"FOLDER", shellQuote(folder)},
                                     {"PROGRAM", shellQuote(program)},
                                     {"SECONDS", std::to_string(seconds)},
                                     {"BUDGET", std::to_string(request.budget.count())},
                                     {"SETUP", join(environment.lines, "\n")},
                                     {"SRUN_OPTIONS", join(environment.srunOptions, " ")},
                                     {"LAUNCHER", join(environment.launcher, " ")},
                                     {"RUN", join(environment.runInside(), " ")}});
}

}  // namespace dailies::remote

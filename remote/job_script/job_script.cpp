#include "remote/job_script/job_script.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/resources.h"
#include "remote/cluster/environment_script.h"
#include "remote/job_script/sbatch_text.h"
#include "remote/job_script/templates.h"

#include <algorithm>

namespace dailies::remote {

namespace {

/// The step that looks at the nodes of one run; none where they are not worth it.
std::string preflightStep(const ArrayJob& job, const EnvironmentScript& environment) {
    const auto& wanted = job.resources;
    if (!wanted.preflight || wanted.nodes < 2 || !job.program.isPreflighted) return {};
    const int ranks = wanted.gpusPerNode > 0 ? wanted.ranksPerNode : 1;
    return "\n" +
           withoutLastLineFeed(
               fill(kPreflightStep, {{"PREFLIGHT_RANKS", std::to_string(std::max(ranks, 1))},
                                     {"PREFLIGHT_BUDGET", std::to_string(kPreflightBudget)},
                                     {"PREFLIGHT_SECONDS", std::to_string(kPreflightBudget + 30)},
                                     {"RUN", join(environment.containerCommand(), " ")},
                                     {"MAX_BAD_NODES", std::to_string(kMaxBadNodes)}})) +
           "\n";
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

/// #SBATCH lines as words of a bash array, a line each.
std::string optionsOf(const std::string& directives) {
    constexpr std::string_view kDirective = "#SBATCH ";
    std::string options;
    for (const std::string& line : split(directives, '\n')) {
        if (!line.starts_with(kDirective)) continue;
        const std::string option = line.substr(kDirective.size());
        const auto quote = option.find("=\"");
        if (quote == std::string::npos) {
            options += "    " + option + "\n";
            continue;
        }
        std::string value;  // see `quotedDirective`
        for (std::size_t i = quote + 2; i + 1 < option.size(); ++i)
            value += option[i] == '\\' ? option[++i] : option[i];
        options += "    " + option.substr(0, quote + 1) + shellQuote(value) + "\n";
    }
    return options;
}

/// How the job of a run has its checkpoints sampled.
std::string samplingPart(const ArrayJob& job, const ClusterProfile& profile) {
    const auto& sampling = *job.program.sampling;
    const auto& wanted = sampling.resources;
    const std::size_t cpus = static_cast<std::size_t>(std::max(wanted.ranksPerNode, 1)) *
                             static_cast<std::size_t>(std::max(wanted.cpusPerRank, 1));
    const std::string directives = directive("job-name", jobName("samples of " + job.sweepName)) +
                                   sitePlace(wanted, profile) + "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n" +
                                   directive("cpus-per-task", cpus) + nodesWanted(wanted) +
                                   directive("time", wanted.timeLimit);
    const auto environment = scriptOf(sweep::overlay(job.environment, profile.environment), profile.setup,
                                      {.workspace = job.workspace, .gpus = wanted.gpusPerNode > 0});
    const auto script =
        fill(kSampleCheckpoint,
             {{"SETUP", join(environment.lines, "\n")},
              {"SRUN_OPTIONS", join(environment.srunOptions, " ")},
              {"LAUNCHER", join(environment.launcher, " ")},
              {"CPUS", std::to_string(cpus)},
              {"CODE", sampling.codeFolder.empty() ? "\"$run\"" : shellPath(sampling.codeFolder)},
              {"COMMAND", sampling.command}});
    return "\n" +
           withoutLastLineFeed(fill(kProgramSampling, {{"CHECKPOINTS", shellQuote(sampling.checkpoints)},
                                                       {"OPTIONS", optionsOf(directives)},
                                                       {"JOB", withoutLastLineFeed(script)}}));
}

/// How the script waits for the exit code of the step.
constexpr const char* kWait = "    read -r -u 3 code || break";
constexpr const char* kWaitAndSample = R"sh(    read -r -t 10 -u 3 code && continue
    [ $? -gt 128 ] || break # else it only timed out
    sample_checkpoints)sh";
constexpr const char* kSampleRest = R"sh([ "$code" != 0 ] && [ -z "$asked" ] || sample_checkpoints end
)sh";

/// A job whose dependency can never be satisfied would wait for ever without the second line.
std::string dependency(const Dependency& after) {
    if (after.jobs.empty()) return {};
    const std::string kind = after.afterAny ? "afterany" : after.taskByTask ? "aftercorr" : "afterok";
    return directive("dependency", kind + ":" + join(after.jobs, ":")) +
           "#SBATCH --kill-on-invalid-dep=yes\n";
}

/// How long before the time limit the trainer is asked to stop: a minute, but never so much of a short limit
/// that nothing is left.
std::int64_t stopLeadSeconds(const std::string& timeLimit) {
    const std::int64_t limit = sweep::secondsOf(timeLimit);
    return limit > 0 ? std::clamp<std::int64_t>(limit / 5, 1, 60) : 60;
}

/// As long as the program asks for, if that leaves it time to work.
std::int64_t leadOf(const ArrayJob& job) {
    const std::int64_t lead = job.program.signalLead, limit = sweep::secondsOf(job.resources.timeLimit);
    constexpr std::int64_t kMostOfSlurm = 65535;
    const std::int64_t most = limit > 0 ? std::min(limit - 1, kMostOfSlurm) : kMostOfSlurm;
    if (lead > most)
        throw InputError("resume.stop.lead: found " + std::to_string(lead) +
                             " s before the time limit, expected at most " + std::to_string(most) + ".",
                         "Give a shorter lead or a longer time limit.");
    return lead > 0 ? lead : stopLeadSeconds(job.resources.timeLimit);
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
    const std::size_t ranksOfTask = job.program.startsItsRanks ? atLeastOne(wanted.ranksPerNode) : 1;
    directives += directive("ntasks-per-node", atLeastOne(wanted.ranksPerNode) / ranksOfTask);
    directives += directive("cpus-per-task", atLeastOne(wanted.cpusPerRank) * ranksOfTask);
    directives += nodesWanted(wanted);
    directives += directive("time", wanted.timeLimit);
    directives += dependency(job.after);
    directives += "#SBATCH --requeue\n#SBATCH --open-mode=append\n";
    if (job.program.takesSignals) directives += directive("signal", "B:USR1@" + std::to_string(leadOf(job)));
    // Slurm cannot name a run's folder: its own output goes here, and the script redirects the rest into the
    // run's logs.
    directives += workingFolder(job.workspace + "/sweeps/" + job.sweepId);
    directives += "#SBATCH --output=slurm-%A_%a.out\n";
    const auto environment = scriptOf(sweep::overlay(job.environment, profile.environment), profile.setup,
                                      {.workspace = job.workspace, .gpus = wanted.gpusPerNode > 0});
    const bool samples = job.program.sampling.has_value();
    return fill(kSweepTemplate, {{"DIRECTIVES", withoutLastLineFeed(directives)},
                                 {"WORKSPACE", shellQuote(job.workspace)},
                                 {"SWEEP", shellQuote(job.sweepId)},
                                 {"SETTINGS", job.program.settings},
                                 {"BEGIN", job.program.begin + (samples ? samplingPart(job, profile) : "")},
                                 {"WAIT", samples ? kWaitAndSample : kWait},
                                 {"AFTER", samples ? kSampleRest : ""},
                                 {"ENTER", job.program.enter.empty() ? "" : job.program.enter + "\n"},
                                 {"START", job.program.start},
                                 {"FORWARD", job.program.forward},
                                 {"END", job.program.end},
                                 {"CPUS_PER_TASK", ranksOfTask == 1 ? R"("$cpus_per_rank")"
                                                                    : "$((cpus_per_rank * " +
                                                                          std::to_string(ranksOfTask) + "))"},
                                 {"TASKS", job.program.onFirstNode ? "--nodes=1 --ntasks=1 " : ""},
                                 {"CPUS_PER_RANK", std::to_string(atLeastOne(wanted.cpusPerRank))},
                                 {"MAX_REQUEUES", std::to_string(kMaxRequeues)},
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

std::string trainerBuildScript(const std::string& folder, const std::string& torchDir, int cpus,
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
                                 {"RUN", join(environment.containerCommand(), " ")}});
}

std::string nodeCheckScript(const std::string& folder, int gpus, const ClusterProfile& profile) {
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
                                 {"RUN", join(environment.containerCommand(), " ")}});
}

}  // namespace dailies::remote

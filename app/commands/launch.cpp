#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/findings.h"
#include "app/terminal/launch_preview.h"
#include "app/terminal/print_json.h"
#include "app/terminal/run_listing.h"
#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/sweep/command.h"
#include "core/sweep/sweep.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/sample_counts.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/launch/assessed_launch.h"
#include "remote/launch/then_sample.h"
#include "remote/program/code_location.h"
#include "remote/service/launch_service.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>

namespace dailies::app {

namespace {

struct LaunchOptions {
    std::filesystem::path store;
    std::vector<std::filesystem::path> sweepFiles;
    std::filesystem::path script, thenSample;
    std::string cluster, format, after, again, code;
    bool dryRun = false, check = false, wait = false, skipRepeats = false, chain = false, printScript = false;
};

/// Those included that the sweeps decided on after they were launched.
std::vector<tracking::Run> runsOf(const tracking::Store& store, const std::vector<std::string>& sweepIds) {
    std::vector<tracking::Run> runs;
    for (const auto& id : sweepIds)
        for (auto& entry : remote::sweepRuns(store, id)) runs.push_back(std::move(entry.run));
    return runs;
}

/// A line whenever the sweep's picture changed, at most every ten seconds: "2 running, 2 waiting · lr=0.01
/// step 400 adherence 0.92".
class WaitProgress {
public:
    WaitProgress(tracking::Store& store, const std::vector<std::string>& sweepIds)
        : m_store(store), m_sweepIds(sweepIds) {}

    /// Returns whether every run of the sweeps has ended.
    bool show() {
        std::map<std::string, int> counts;
        std::string newest;
        const auto runs = runsOf(m_store, m_sweepIds);
        int toSample = 0;
        for (const auto& run : runs) {
            toSample += tracking::sampleCountsOf(run).waiting;
            ++counts[std::string(toText(run.status))];
            if (run.status != tracking::RunStatus::Running) continue;
            if (const auto loss = run.metrics.find("loss"); loss != run.metrics.end())
                newest += " · " + run.name + " step " + std::to_string(loss->second.step) + " loss " +
                          shortNumber(std::round(loss->second.value * 1e4) / 1e4);
        }
        std::vector<std::string> parts;
        for (const auto& [status, count] : counts) parts.push_back(std::to_string(count) + " " + status);
        if (toSample > 0)
            parts.push_back(pluralize(toSample, "checkpoint is", "checkpoints are") + " being sampled");
        const std::string line = join(parts, ", ") + newest;
        const auto now = std::chrono::steady_clock::now();
        if (line != m_last && now - m_lastShown > std::chrono::seconds(10)) {
            say(line);
            m_last = line;
            m_lastShown = now;
        }
        return toSample == 0 &&
               std::none_of(runs.begin(), runs.end(), [](const auto& run) { return isActive(run.status); });
    }

    /// Whether what is left only waits.
    bool noneRuns() const {
        const auto runs = runsOf(m_store, m_sweepIds);
        return std::ranges::none_of(
            runs, [](const auto& run) { return run.status == tracking::RunStatus::Running; });
    }

private:
    tracking::Store& m_store;
    const std::vector<std::string>& m_sweepIds;
    std::string m_last;
    std::chrono::steady_clock::time_point m_lastShown{};
};

int waitForEnd(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
               tracking::Store& store, const std::vector<std::string>& sweepIds, const std::string& metric,
               const std::string& format, std::stop_token stop) {
    WaitProgress progress(store, sweepIds);
    bool held = false;  // what is on hold ends when a person says so, which may be never
    remote::FollowTask task{.watchIfFollowed = true};
    task.done = [&](const remote::FollowReport& report) {
        sayDecisions(report);
        held = held || !report.alerts.empty();
        if (held && progress.noneRuns()) return true;
        return progress.show() && isComplete(report);
    };
    follow(profile, std::move(cluster), store, std::move(task), stop);
    for (const auto& id : sweepIds) printSummary(remote::summarize(store, id));
    const auto runs = runsOf(store, sweepIds);
    printRuns(runs, format, metric);
    const bool allFinished = std::all_of(runs.begin(), runs.end(), [](const auto& run) {
        const bool stoppedEarly =
            run.status == tracking::RunStatus::Killed && run.tags.contains(tracking::tag::kStoppedWhy);
        return run.status == tracking::RunStatus::Finished || stoppedEarly;
    });
    return allFinished ? 0 : 1;
}

/// A sweep file as it asks to be launched, and what its reading left to say.
struct SweepFile {
    remote::LaunchRequest request;
    std::vector<std::string> notices;
};

/// What is sampled of the sweep's runs, once they are trained.
void readSampling(const LaunchOptions& options, SweepFile& file) {
    if (options.thenSample.empty()) return;
    auto& thenSample = file.request.thenSample;
    thenSample = sweep::parseSamplingFile(readFile(options.thenSample), options.thenSample.string());
    remote::requireSampleable(file.request.sweep, *thenSample);
    auto job = thenSample->job;
    job.checkpoints = {"newest"};
    file.notices.push_back("Of each run, once it is trained, " +
                           pluralize(job.clips(), "clip is", "clips are") + " sampled.");
    say(file.notices.back());
}

/// Those named, in order, or their stages; what each of a chain waits for is the one before it.
std::vector<SweepFile> readFiles(const LaunchOptions& options) {
    if (options.sweepFiles.empty())
        throw InputError("No sweep file was named.",
                         "Name one (`dailies launch sweep.yaml`), or what to launch again with --again.");
    if (options.sweepFiles.size() > 1 && !options.chain)
        throw InputError(std::to_string(options.sweepFiles.size()) + " sweep files were named.",
                         "Add --chain to launch each after the one before it, or launch them one by one.");
    std::vector<SweepFile> files;
    for (const auto& file : options.sweepFiles) {
        SweepFile read;
        auto& sweep = read.request.sweep;
        sweep = sweep::parseSweep(readFile(file), file.string(), &read.notices);
        remote::locateProgram(sweep, options.code, file.parent_path(), read.notices);
        if (!options.after.empty() && files.empty()) {
            if (!sweep.after) sweep.after.emplace();
            sweep.after->sweep = options.after;
        }
        read.request.skipRepeats = options.skipRepeats;
        if (!options.script.empty()) read.request.edit = {readFile(options.script)};
        for (const auto& notice : read.notices) say(notice);
        readSampling(options, read);
        for (auto& stage : remote::stageRequests(read.request))
            files.push_back({std::move(stage), std::exchange(read.notices, {})});
    }
    return files;
}

std::vector<remote::LaunchRequest> requestsOf(const std::vector<SweepFile>& files) {
    std::vector<remote::LaunchRequest> requests;
    for (const auto& file : files) requests.push_back(file.request);
    remote::chainRequests(requests);
    return requests;
}

/// To look at; nullopt where there is none yet.
std::optional<tracking::Store> existingStore(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return std::nullopt;
    return std::optional<tracking::Store>(std::in_place, file, tracking::Store::Mode::ReadOnly);
}

void dryRun(const LaunchOptions& options, const remote::ClusterProfile& profile,
            const std::vector<remote::LaunchRequest>& requests, const std::vector<SweepFile>& files) {
    const auto store = existingStore(options.store);
    std::vector<remote::LaunchPlan> plans;
    for (const auto& request : requests)
        plans.push_back(
            remote::previewLaunch(request, profile, profile.workspace, store ? &*store : nullptr));
    if (options.printScript) {
        std::cout << plans.front().script;
        return;
    }
    const auto past = store ? remote::PastRuns(*store, profile.name) : remote::PastRuns();
    const auto chain = remote::assess(std::move(plans), past, profile, nullptr);
    if (options.format == "json") {
        Json documents = Json::array();
        for (std::size_t i = 0; i < chain.size(); ++i)
            documents.push_back(toJson(chain[i], profile, files[i].notices));
        printJson(documents.size() == 1 ? documents.front() : documents);
        return;
    }
    for (const auto& launch : chain) printLaunch(launch, profile);
    if (chain.size() > 1) printChain(chain, profile);
}

/// Exit status.
int printCheck(const LaunchOptions& options, const std::vector<remote::ClusterFinding>& findings) {
    if (options.format == "json")
        printJson(toJson(findings));
    else
        for (const auto& finding : findings) printFinding(finding);
    return remote::worstVerdict(findings) == remote::Verdict::Bad ? 1 : 0;
}

int check(const LaunchOptions& options, const remote::ClusterProfile& profile,
          const std::vector<remote::LaunchRequest>& requests, std::stop_token stop) {
    const auto store = existingStore(options.store);
    const auto cluster = connect(profile, stop);
    std::vector<remote::ClusterFinding> findings;
    for (const auto& request : requests) {
        auto check = remote::checkLaunch(*cluster, request, store ? &*store : nullptr, stop);
        std::ranges::move(check.findings, std::back_inserter(findings));
    }
    return printCheck(options, findings);
}

void printLaunched(const remote::Launched& launched) {
    std::cerr << "Sweep " << sanitizedText(launched.plan.sweep.name) << " (" << launched.plan.runs.size()
              << (launched.plan.runs.size() == 1 ? " run" : " runs") << ") is job " << launched.job << ".\n";
    if (const auto& sampling = launched.sampling)
        std::cerr << "Job " << sampling->job << ", " << sanitizedText(sampling->plan.name)
                  << ", waits for it and makes " << pluralize(sampling->plan.clips, "clip", "clips") << " in "
                  << pluralize(static_cast<long long>(sampling->plan.runs.size()), "run", "runs") << ".\n";
    for (const auto& note : launched.notes) say(note);
}

int finish(const LaunchOptions& options, std::unique_ptr<remote::Cluster> cluster, tracking::Store& store,
           const std::vector<remote::Launched>& launched, std::stop_token stop) {
    std::vector<std::string> sweepIds;
    for (const auto& one : launched) sweepIds.push_back(one.plan.sweepId);
    for (const auto& one : launched)
        if (one.sampling) sweepIds.push_back(one.sampling->plan.id);
    const std::string& metric = launched.back().plan.sweep.metric;
    if (options.wait) {
        const auto profile = cluster->profile();
        return waitForEnd(profile, std::move(cluster), store, sweepIds, metric, options.format, stop);
    }
    printRuns(runsOf(store, sweepIds), options.format, metric);
    return 0;
}

/// The sweep, or the run of one, that a person means.
remote::RelaunchTarget findRelaunchTarget(const tracking::Store& store, const std::string& text) {
    if (const auto record = remote::findSweep(store, text)) return {record->id};
    return remote::relaunchTargetOf(store, resolveRunId(store, text), false);
}

int launchAgain(const LaunchOptions& options, std::stop_token stop) {
    tracking::Store store(options.store);
    const auto target = findRelaunchTarget(store, options.again);
    auto cluster = connect(chooseProfile(store.sweep(target.sweepId)->cluster), stop);
    remote::LaunchService service(*cluster, store, say);
    if (!options.dryRun && !options.check && !options.printScript) {
        const auto launched = service.relaunch(target, stop);
        printLaunched(launched);
        return finish(options, std::move(cluster), store, {launched}, stop);
    }
    const auto again = service.previewRelaunch(target, stop);
    for (const auto& difference : again.differences) say(difference);
    if (options.printScript) {
        std::cout << again.plan.script;
        return 0;
    }
    if (options.check) return printCheck(options, remote::checkLaunch(*cluster, again.plan, stop).findings);
    const auto& profile = cluster->profile();
    const auto chain =
        remote::assess({again.plan}, remote::PastRuns(store, profile.name), profile, &cluster->facts());
    if (options.format == "json")
        printJson(toJson(chain.front(), profile, again.differences));
    else
        printLaunch(chain.front(), profile);
    return 0;
}

int launchSweeps(const LaunchOptions& options, std::stop_token stop) {
    if (options.printScript && options.format == "json")
        throw InputError("--print-script cannot be used with --format json.",
                         "--dry-run --format json has the script in its document.");
    if (!options.again.empty()) return launchAgain(options, stop);
    const auto files = readFiles(options);
    if (files.size() > 1 && (options.printScript || !options.script.empty()))
        throw InputError("--script and --print-script take one sweep, but " + std::to_string(files.size()) +
                             " sweeps or stages were named.",
                         "Launch the others on their own, with --after.");
    const auto requests = requestsOf(files);
    const auto profile = chooseProfile(options.cluster);
    if (options.dryRun || options.printScript) {
        dryRun(options, profile, requests, files);
        return 0;
    }
    if (options.check) return check(options, profile, requests, stop);
    {  // what needs no connection to be known is told before one is made
        const auto past = existingStore(options.store);
        remote::validateLaunch(requests, profile, nullptr, past ? &*past : nullptr);
    }
    tracking::Store store(options.store);
    auto cluster = connect(profile, stop);
    std::vector<remote::Launched> launched;
    remote::LaunchService(*cluster, store, say)
        .launchChain(
            requests,
            [&](remote::Launched one) {
                printLaunched(one);
                launched.push_back(std::move(one));
            },
            stop);
    return finish(options, std::move(cluster), store, launched, stop);
}

}  // namespace

void addLaunchCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<LaunchOptions>();
    const CLI::Validator sweepFile(
        [](const std::string& file) -> std::string {
            if (std::filesystem::is_directory(file))
                return file +
                       " is a folder. Name a sweep file: YAML with a method, parameters and a config, as " +
                       "the window's Launch page saves it.";
            return CLI::ExistingFile(file);
        },
        "FILE");
    auto* command = app.add_subcommand("launch", "Launch a sweep");
    auto* files = command->add_option("sweep", options->sweepFiles, "Sweep file (YAML); several with --chain")
                      ->check(sweepFile);
    auto* chain =
        command->add_flag("--chain", options->chain, "Launch each file after the one before it has finished");
    auto* after = command
                      ->add_option("--after", options->after,
                                   "Wait for this sweep, which was launched before: name or id")
                      ->type_name("SWEEP");
    auto* again = command
                      ->add_option("--again", options->again,
                                   "Launch this sweep or run exactly as before: same script, configs and "
                                   "trainer, on its cluster")
                      ->type_name("SWEEP|RUN");
    auto* cluster = command->add_option("--cluster", options->cluster, "Cluster profile")->type_name("NAME");
    command->add_flag("--dry-run", options->dryRun,
                      "Show the runs, their cost and the sbatch script; submit nothing");
    command->add_flag(
        "--check", options->check,
        "Ask the cluster whether it would take it: limits, memory, room for checkpoints, start; "
        "submit nothing");
    auto* skipRepeats =
        command->add_flag("--skip-repeats", options->skipRepeats,
                          "Leave out runs whose whole config ran before, or stands in the sweep twice");
    auto* code =
        command
            ->add_option("--code", options->code,
                         "Where the sweep's own program is started: a folder of this machine, which is "
                         "uploaded, a folder of the cluster, or a repository that the cluster clones; by "
                         "default the folder in which the program lies")
            ->type_name("FOLDER|cluster:FOLDER|git+ADDRESS[@REF]");
    auto* script = command
                       ->add_option("--script", options->script,
                                    "Send this sbatch script in the place of the generated one: what "
                                    "--print-script wrote, edited")
                       ->check(CLI::ExistingFile);
    command->add_flag("--print-script", options->printScript,
                      "Print the sbatch script and nothing else; submit nothing");
    auto* thenSample =
        command
            ->add_option("--then-sample", options->thenSample,
                         "Sample the runs' newest checkpoints once they are trained, in a job that waits for "
                         "them: a file (YAML) of prompts, seeds, guidance, steps, resources")
            ->check(CLI::ExistingFile);
    for (auto* other : {files, chain, after, cluster, skipRepeats, script, thenSample, code})
        again->excludes(other);
    command->add_flag(
        "--wait", options->wait,
        "Follow until every run has ended; exit status 1 unless all finished or were stopped early");
    addStoreOption(*command, options->store);
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] { return launchSweeps(*options, context.stop); };
    });
}

}  // namespace dailies::app

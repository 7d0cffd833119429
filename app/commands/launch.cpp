#include "remote/launch/launch.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/findings.h"
#include "app/terminal/launch_preview.h"
#include "app/terminal/print_json.h"
#include "app/terminal/progress_line.h"
#include "app/terminal/run_listing.h"
#include "app/terminal/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/sweep/sweep.h"
#include "core/tracking/run_tags.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/fit/forecast.h"
#include "remote/fit/memory_check.h"
#include "remote/fit/resource_check.h"
#include "remote/job_script/script_edit.h"
#include "remote/launch/launch_check.h"
#include "remote/launch/relaunch.h"
#include "remote/launch/then_sample.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <set>

namespace dailies::app {

namespace {

struct Options {
    std::filesystem::path store;
    std::vector<std::filesystem::path> sweepFiles;
    std::filesystem::path script, thenSample;
    std::string cluster, format, after, again;
    bool dryRun = false, check = false, wait = false, skipRepeats = false, chain = false, printScript = false;
};

remote::PastRuns pastRuns(const std::filesystem::path& store, const std::string& cluster) {
    if (!std::filesystem::exists(store)) return {};
    return {tracking::Store(store, tracking::Store::Mode::ReadOnly), cluster};
}

/// The planned runs that repeat one another or one that ran before.
std::set<std::size_t> repeatsOf(const remote::Forecast& forecast) {
    std::set<std::size_t> repeats;
    for (std::size_t i = 0; i < forecast.duplicateInStore.size(); ++i)
        if (!forecast.duplicateInStore[i].empty() || !forecast.duplicateInSweep[i].empty()) repeats.insert(i);
    return repeats;
}

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
        for (const auto& run : runs) {
            ++counts[std::string(toText(run.status))];
            if (run.status != tracking::RunStatus::Running) continue;
            if (const auto loss = run.metrics.find("loss"); loss != run.metrics.end())
                newest += " · " + run.name + " step " + std::to_string(loss->second.step) + " loss " +
                          shortNumber(std::round(loss->second.value * 1e4) / 1e4);
        }
        std::vector<std::string> parts;
        for (const auto& [status, count] : counts) parts.push_back(std::to_string(count) + " " + status);
        const std::string line = join(parts, ", ") + newest;
        const auto now = std::chrono::steady_clock::now();
        if (line != m_last && now - m_lastShown > std::chrono::seconds(10)) {
            say(line);
            m_last = line;
            m_lastShown = now;
        }
        return std::none_of(runs.begin(), runs.end(), [](const auto& run) { return isActive(run.status); });
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
    follow(profile, std::move(cluster), store, stop, [&](const remote::FollowReport& report) {
        for (const auto& note : report.notes) say(note);
        // clips arrive after the events that told of them
        return progress.show() && report.remainingRuns == 0 && report.newClips == 0;
    });
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

struct SweepFile {
    sweep::Sweep sweep;
    std::vector<std::string> notices;
    std::optional<sweep::SamplingFile> thenSample;
};

/// What is sampled of the sweep's runs, once they are trained.
void readSampling(const Options& options, SweepFile& file) {
    if (options.thenSample.empty()) return;
    file.thenSample = sweep::parseSamplingFile(readFile(options.thenSample), options.thenSample.string());
    remote::requireSampleable(file.sweep, *file.thenSample);
    auto job = file.thenSample->job;
    job.checkpoints = {"newest"};
    file.notices.push_back("Of each run, once it is trained, " +
                           pluralize(job.clips(), "clip is", "clips are") + " sampled.");
    say(file.notices.back());
}

/// Those named, in order; what each of a chain waits for is the one before it.
std::vector<SweepFile> readFiles(const Options& options) {
    if (options.sweepFiles.empty())
        throw InputError("No sweep file was named.",
                         "Name one (`dailies launch sweep.yaml`), or what to launch again with --again.");
    if (options.sweepFiles.size() > 1 && !options.chain)
        throw InputError(std::to_string(options.sweepFiles.size()) + " sweep files were named.",
                         "Add --chain to launch each after the one before it, or launch them one by one.");
    std::vector<SweepFile> files;
    for (const auto& file : options.sweepFiles) {
        SweepFile read;
        read.sweep = sweep::parseSweep(readFile(file), file.string(), &read.notices);
        if (!options.after.empty() && files.empty()) {
            if (!read.sweep.after) read.sweep.after.emplace();
            read.sweep.after->sweep = options.after;
        }
        if (!files.empty()) {
            if (!read.sweep.after) read.sweep.after.emplace();
            read.sweep.after->sweep.clear();  // known when the one before it is launched
        }
        for (const auto& notice : read.notices) say(notice);
        readSampling(options, read);
        files.push_back(std::move(read));
    }
    return files;
}

/// What cannot start, fit or follow is found before anything is built or sent, the last sweep of a chain
/// included.
void requireChain(const std::vector<SweepFile>& files, const remote::Cluster& cluster) {
    std::size_t before = 0;
    for (const auto& file : files) {
        const auto runs = sweep::expand(file.sweep);
        remote::throwIfInvalid(
            remote::checkOffline(file.sweep, runs.size(), cluster.profile(), &cluster.facts()));
        remote::throwIfTooLarge(remote::checkMemory(file.sweep, runs, cluster.profile(), &cluster.facts()));
        if (file.thenSample && file.thenSample->resources)
            remote::throwIfInvalid(remote::checkResources(*file.thenSample->resources, runs.size(),
                                                          cluster.profile(), cluster.facts()));
        const bool fromThere = before > 0 && file.sweep.after->fromCheckpoint;
        if (fromThere && ((before != 1 && before != runs.size()) || sweep::isAdaptive(file.sweep)))
            throw InputError("Sweep " + sanitizedText(file.sweep.name) +
                                 " cannot begin from the checkpoints of the " + "one before it, which has " +
                                 std::to_string(before) + " runs.",
                             "Give it as many runs, known at launch, or that one a single run.");
        before = runs.size();
    }
}

/// What a dry run can know of the sweep that is waited for: not that of a chain, which it does not launch.
remote::Predecessor knownPredecessor(const sweep::Sweep& sweep, const std::filesystem::path& store,
                                     const std::string& cluster, std::size_t runs) {
    if (!sweep.after || sweep.after->sweep.empty()) return {};
    return remote::predecessorOf(tracking::Store(store, tracking::Store::Mode::ReadOnly), sweep, cluster,
                                 runs);
}

std::set<std::size_t> skippedOf(const Options& options, const sweep::Sweep& sweep,
                                const std::vector<sweep::PlannedRun>& runs, const remote::PastRuns& past) {
    return options.skipRepeats ? repeatsOf(remote::forecast(sweep, runs, past)) : std::set<std::size_t>{};
}

/// The plan with the script that was named in the place of the generated one.
remote::LaunchPlan withScript(remote::LaunchPlan plan, const Options& options,
                              const remote::ClusterProfile& profile) {
    if (!options.script.empty())
        plan.script = remote::applyEdit({.text = readFile(options.script)}, plan.script, profile.workspace);
    return plan;
}

int dryRun(const Options& options, const remote::ClusterProfile& profile, const SweepFile& file) {
    const auto past = pastRuns(options.store, profile.name);
    const auto runs = sweep::expand(file.sweep);
    const auto skipped = skippedOf(options, file.sweep, runs, past);
    const auto plan = withScript(remote::planLaunch(file.sweep, profile, profile.workspace, {}, skipped,
                                                    knownPredecessor(file.sweep, options.store, profile.name,
                                                                     runs.size() - skipped.size())),
                                 options, profile);
    if (options.printScript) {
        std::cout << plan.script;
        return 0;
    }
    printPlan(plan, remote::forecast(file.sweep, plan.runs, past), profile,
              remote::checkMemory(file.sweep, plan.runs, profile, nullptr),
              remote::checkOffline(file.sweep, plan.runs.size(), profile, nullptr), file.notices,
              options.format);
    return 0;
}

/// Asks the cluster all that a launch would, and sends nothing.
int check(const Options& options, remote::Cluster& cluster, const std::vector<remote::LaunchPlan>& plans,
          std::stop_token stop) {
    std::vector<remote::ClusterFinding> findings;
    for (const auto& plan : plans)
        for (auto& finding : remote::checkLaunch(cluster, plan, stop).findings) {
            if (options.format != "json") printFinding(finding);
            findings.push_back(std::move(finding));
        }
    if (options.format == "json") printJson(toJson(findings));
    return remote::worstVerdict(findings) == remote::Verdict::Bad ? 1 : 0;
}

int checkFiles(const Options& options, const remote::ClusterProfile& profile,
               const std::vector<SweepFile>& files, std::stop_token stop) {
    const auto cluster = connect(profile, stop);
    std::vector<remote::LaunchPlan> plans;
    const auto past = pastRuns(options.store, profile.name);
    for (const auto& file : files) {
        const auto skipped = skippedOf(options, file.sweep, sweep::expand(file.sweep), past);
        plans.push_back(withScript(remote::planLaunch(file.sweep, profile, cluster->workspace(), {}, skipped),
                                   options, profile));
    }
    return check(options, *cluster, plans, stop);
}

/// A last look at what a plan needs there.
void checkAll(remote::Cluster& cluster, const remote::LaunchPlan& plan, std::stop_token stop) {
    const auto check = remote::checkLaunch(cluster, plan, stop);
    remote::throwIfInvalid(check.findings);
    printWarnings(check.findings);
}

void printJobId(const remote::LaunchPlan& plan, const std::string& jobId) {
    std::cerr << "Sweep " << sanitizedText(plan.sweep.name) << " (" << plan.runs.size()
              << (plan.runs.size() == 1 ? " run" : " runs") << ") is job " << jobId << ".\n";
}

struct Launched {
    remote::LaunchPlan plan;
    std::string samplingId = {};  ///< of what waits for it, if anything
};

/// Returns the id of the sampling, which waits for the training that is sent with it.
std::string launchThenSample(remote::Cluster& cluster, const remote::LaunchPlan& plan,
                             const sweep::SamplingFile& file, const remote::InstalledTrainer& trainer,
                             tracking::Store& store, std::stop_token stop) {
    const auto both = remote::launchThenSample(cluster, plan, file, trainer, store, say, stop);
    printJobId(plan, both.trainingJob);
    std::cerr << "Job " << both.samplingJob << ", " << sanitizedText(both.sampling.name)
              << ", waits for it and makes " << pluralize(both.sampling.clips, "clip", "clips") << " in "
              << pluralize(static_cast<long long>(both.sampling.runs.size()), "run", "runs") << ".\n";
    return both.sampling.id;
}

Launched launchOne(const Options& options, remote::Cluster& cluster, const SweepFile& file,
                   tracking::Store& store, std::stop_token stop) {
    const auto& sweep = file.sweep;
    const auto& profile = cluster.profile();
    const auto runs = sweep::expand(sweep);
    const auto skipped = skippedOf(options, sweep, runs, remote::PastRuns(store, profile.name));
    if (!skipped.empty())
        say("Left out " + pluralize(static_cast<long long>(skipped.size()), "run that repeats another",
                                    "runs that repeat others"));
    const auto before = remote::predecessorOf(store, sweep, profile.name, runs.size() - skipped.size());
    const auto trainer =
        remote::ensureTrainer(cluster, remote::makeSourceBundle(), say, stop, sweep.environment);
    Launched launched{withScript(
        remote::planLaunch(sweep, profile, cluster.workspace(), trainer, skipped, before), options, profile)};
    checkAll(cluster, launched.plan, stop);
    if (file.thenSample)
        launched.samplingId =
            launchThenSample(cluster, launched.plan, *file.thenSample, trainer, store, stop);
    else
        printJobId(launched.plan, remote::launch(cluster, launched.plan, store, say, stop));
    if (!options.wait && (sweep.earlyStop || sweep::isAdaptive(sweep)))
        say("It decides on its runs while Dailies follows it: `dailies follow`, or the desktop program "
            "connected.");
    return launched;
}

int finish(const Options& options, std::unique_ptr<remote::Cluster> cluster, tracking::Store& store,
           const std::vector<remote::LaunchPlan>& plans, std::stop_token stop,
           const std::vector<std::string>& samplings = {}) {
    std::vector<std::string> sweepIds;
    for (const auto& plan : plans) sweepIds.push_back(plan.sweepId);
    sweepIds.insert(sweepIds.end(), samplings.begin(), samplings.end());
    const std::string& metric = plans.back().sweep.metric;
    if (options.wait) {
        const auto profile = cluster->profile();
        return waitForEnd(profile, std::move(cluster), store, sweepIds, metric, options.format, stop);
    }
    printRuns(runsOf(store, sweepIds), options.format, metric);
    return 0;
}

/// The sweep, or the run and its sweep, that a person means.
std::pair<tracking::SweepRecord, std::optional<std::string>> findRelaunchTarget(const tracking::Store& store,
                                                                                const std::string& text) {
    if (const auto record = remote::findSweep(store, text)) return {*record, std::nullopt};
    const auto runId = resolveRunId(store, text);
    const auto record = store.sweep(tracking::tagOf(*store.run(runId), tracking::tag::kSweep));
    if (!record)
        throw InputError("Run " + sanitizedText(text) + " was not launched by Dailies.",
                         "Launch its sweep file.");
    return {*record, runId};
}

int launchAgain(const Options& options, std::stop_token stop) {
    tracking::Store store(options.store);
    const auto [record, runId] = findRelaunchTarget(store, options.again);
    auto cluster = connect(chooseProfile(record.cluster), stop);
    const auto again = remote::planRelaunch(
        *cluster, store, record.id, runId,
        [&](const sweep::Environment& environment) {
            if (options.dryRun || options.check ||
                options.printScript) {  // what it would be called where it would be built
                remote::InstalledTrainer present{remote::makeSourceBundle().hash, {}};
                present.program =
                    cluster->workspace() + "/trainer/" + present.hash + "/build/bin/dailies-train";
                return present;
            }
            return remote::ensureTrainer(*cluster, remote::makeSourceBundle(), say, stop, environment);
        },
        stop);
    for (const auto& difference : again.differences) say(difference);
    if (again.differences.empty()) say("The same script, configs and trainer as before.");
    if (options.printScript) {
        std::cout << again.plan.script;
        return 0;
    }
    if (options.dryRun) {
        const auto past = pastRuns(options.store, record.cluster);
        printPlan(
            again.plan, remote::forecast(again.plan.sweep, again.plan.runs, past), cluster->profile(),
            remote::checkMemory(again.plan.sweep, again.plan.runs, cluster->profile(), &cluster->facts()), {},
            again.differences, options.format);
        return 0;
    }
    if (options.check) return check(options, *cluster, {again.plan}, stop);
    checkAll(*cluster, again.plan, stop);
    printJobId(again.plan, remote::launch(*cluster, again.plan, store, say, stop));
    return finish(options, std::move(cluster), store, {again.plan}, stop);
}

int launchSweeps(const Options& options, std::stop_token stop) {
    if (options.printScript && options.format == "json")
        throw InputError("--print-script prints the script alone, which is no JSON.",
                         "--dry-run --format json has the script in its document.");
    if (!options.again.empty()) return launchAgain(options, stop);
    auto files = readFiles(options);
    if (files.size() > 1 && (options.printScript || !options.script.empty()))
        throw InputError(
            "A script is of one sweep, and " + std::to_string(files.size()) + " files were named.",
            "Launch the others on their own, with --after.");
    const auto profile = chooseProfile(options.cluster);
    if (options.dryRun || options.printScript) {
        if (files.size() > 1 && options.format == "json")
            throw InputError("A dry run in JSON is of one sweep, and " + std::to_string(files.size()) +
                                 " files were named.",
                             "Name one of them, or leave --format out.");
        for (const auto& file : files) dryRun(options, profile, file);
        return 0;
    }
    if (options.check) return checkFiles(options, profile, files, stop);
    // a broken line is told before a trainer is built
    if (const auto& sweep = files.front().sweep; !options.script.empty()) {
        const auto skipped =
            skippedOf(options, sweep, sweep::expand(sweep), pastRuns(options.store, profile.name));
        withScript(remote::planLaunch(sweep, profile, profile.workspace, {}, skipped), options, profile);
    }
    for (const auto& file : files)
        remote::throwIfTooLarge(remote::checkMemory(file.sweep, sweep::expand(file.sweep), profile, nullptr));
    tracking::Store store(options.store);
    auto cluster = connect(profile, stop);
    requireChain(files, *cluster);
    std::vector<remote::LaunchPlan> plans;
    std::vector<std::string> samplings;
    for (auto& file : files) {
        if (!plans.empty()) file.sweep.after->sweep = plans.back().sweepId;
        auto launched = launchOne(options, *cluster, file, store, stop);
        plans.push_back(std::move(launched.plan));
        if (!launched.samplingId.empty()) samplings.push_back(std::move(launched.samplingId));
    }
    return finish(options, std::move(cluster), store, plans, stop, samplings);
}

}  // namespace

void addLaunchCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<Options>();
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
                      "Show the runs, their cost and the sbatch script; send nothing");
    command->add_flag(
        "--check", options->check,
        "Ask the cluster whether it would take it: limits, memory, room for checkpoints, start; "
        "send nothing");
    auto* skipRepeats =
        command->add_flag("--skip-repeats", options->skipRepeats,
                          "Leave out runs whose whole config ran before, or stands in the sweep twice");
    auto* script = command
                       ->add_option("--script", options->script,
                                    "Send this sbatch script in the place of the generated one: what "
                                    "--print-script wrote, edited")
                       ->check(CLI::ExistingFile);
    command->add_flag("--print-script", options->printScript,
                      "Print the sbatch script and nothing else; send nothing");
    auto* thenSample =
        command
            ->add_option("--then-sample", options->thenSample,
                         "Sample the runs' newest checkpoints once they are trained, in a job that waits for "
                         "them: a file (YAML) of prompts, seeds, guidance, steps, resources")
            ->check(CLI::ExistingFile);
    for (auto* other : {files, chain, after, cluster, skipRepeats, script, thenSample})
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

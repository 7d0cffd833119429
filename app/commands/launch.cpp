#include "remote/cluster/launch.h"

#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/launch_preview.h"
#include "app/terminal/run_listing.h"
#include "app/terminal/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/sweep/sweep.h"
#include "remote/cluster/forecast.h"
#include "remote/cluster/memory_check.h"
#include "remote/cluster/sweep_runs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <set>

namespace dailies::app {

namespace {

struct Words {
    std::filesystem::path store, sweepFile;
    std::string cluster, format;
    bool dryRun = false, wait = false, skipRepeats = false;
};

remote::PastRuns pastRuns(const std::filesystem::path& store, const std::string& cluster) {
    if (!std::filesystem::exists(store)) return {};
    return {tracking::Store(store, tracking::Store::Mode::ReadOnly), cluster};
}

/// The planned runs that repeat one another or one that ran before.
std::set<std::size_t> repeatsOf(const remote::Forecast& forecast) {
    std::set<std::size_t> repeats;
    for (std::size_t i = 0; i < forecast.sameAsRunInStore.size(); ++i)
        if (!forecast.sameAsRunInStore[i].empty() || !forecast.sameAsEarlierInSweep[i].empty())
            repeats.insert(i);
    return repeats;
}

/// Those included that the sweep decided on after it was launched.
std::vector<tracking::Run> runsOf(const tracking::Store& store, const remote::LaunchPlan& plan) {
    std::vector<tracking::Run> runs;
    for (auto& entry : remote::sweepRuns(store, plan.sweepId)) runs.push_back(std::move(entry.run));
    return runs;
}

/// A line whenever the sweep's picture changed, at most every ten seconds: "2 running, 2 waiting · lr=0.01
/// step 400 adherence 0.92".
class WaitProgress {
public:
    WaitProgress(tracking::Store& store, const remote::LaunchPlan& plan) : m_store(store), m_plan(plan) {}

    /// Returns whether every run of the sweep has ended.
    bool show() {
        std::map<std::string, int> counts;
        std::string newest;
        const auto runs = runsOf(m_store, m_plan);
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
    const remote::LaunchPlan& m_plan;
    std::string m_last;
    std::chrono::steady_clock::time_point m_lastShown{};
};

int waitForEnd(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
               tracking::Store& store, const remote::LaunchPlan& plan, const std::string& format,
               std::stop_token stop) {
    WaitProgress progress(store, plan);
    follow(profile, std::move(cluster), store, stop, [&](const remote::FollowReport& report) {
        for (const auto& note : report.notes) say(note);
        return progress.show() && report.runsToCome == 0;
    });
    saySummary(remote::summarize(store, plan.sweepId));
    const auto runs = runsOf(store, plan);
    printRuns(runs, format, plan.sweep.metric);
    const bool allFinished = std::all_of(runs.begin(), runs.end(), [](const auto& run) {
        const bool stoppedEarly =
            run.status == tracking::RunStatus::Killed && run.tags.contains(tracking::tag::kStoppedWhy);
        return run.status == tracking::RunStatus::Finished || stoppedEarly;
    });
    return allFinished ? 0 : 1;
}

int launchSweep(const Words& words, std::stop_token stop) {
    std::vector<std::string> notices;
    const auto sweep = sweep::parseSweep(readFile(words.sweepFile), words.sweepFile.string(), &notices);
    for (const auto& notice : notices) say(notice);
    const auto profile = chooseProfile(words.cluster);
    // what cannot train is refused before anything is connected, built or submitted
    const auto runs = sweep::expand(sweep);
    std::set<std::size_t> skipped;
    if (words.dryRun || words.skipRepeats) {
        const auto past = pastRuns(words.store, profile.name);
        if (words.skipRepeats) skipped = repeatsOf(remote::forecast(sweep, runs, past));
        if (words.dryRun) {
            const auto plan = remote::planLaunch(sweep, profile, profile.workspace, {}, skipped);
            printPlan(plan, remote::forecast(sweep, plan.runs, past),
                      remote::checkMemory(sweep, plan.runs, profile, nullptr), notices, words.format);
            return 0;
        }
        say("Left out " + std::to_string(skipped.size()) + " runs that repeat others");
    }
    remote::requireMemory(remote::checkMemory(sweep, runs, profile, nullptr));
    tracking::Store store(words.store);
    auto cluster = connect(profile, stop);
    const auto memory = remote::checkMemory(sweep, runs, profile, &cluster->facts());
    remote::requireMemory(memory);
    if (memory.verdict == planner::Verdict::tight) say(memory.text + " " + memory.remedy);
    const auto trainer = remote::ensureTrainer(*cluster, remote::makeSourceBundle(), say, stop);
    const auto plan = remote::planLaunch(sweep, profile, cluster->workspace(), trainer, skipped);
    const auto jobId = remote::launch(*cluster, plan, store, say, stop);
    std::cerr << "Sweep " << sweep.name << " (" << plan.runs.size() << " runs) is job " << jobId << ".\n";
    if (!words.wait && (sweep.earlyStop || sweep::isAdaptive(sweep)))
        say("It decides on its runs while Dailies follows it: `dailies follow`, or the desktop program "
            "connected.");
    if (words.wait) return waitForEnd(profile, std::move(cluster), store, plan, words.format, stop);
    printRuns(runsOf(store, plan), words.format, sweep.metric);
    return 0;
}

}  // namespace

void addLaunchCommand(CLI::App& app, Context& context) {
    auto words = std::make_shared<Words>();
    auto* command = app.add_subcommand("launch", "Launch a sweep");
    command->add_option("sweep", words->sweepFile, "Sweep file (YAML)")->required()->check(CLI::ExistingFile);
    command->add_option("--cluster", words->cluster, "Cluster profile")->type_name("NAME");
    command->add_flag("--dry-run", words->dryRun,
                      "Show the runs, their cost and the sbatch script; send nothing");
    command->add_flag("--skip-repeats", words->skipRepeats,
                      "Leave out runs whose whole config ran before, or stands in the sweep twice");
    command->add_flag(
        "--wait", words->wait,
        "Follow until every run has ended; exit status 1 unless all finished or were stopped early");
    addStoreOption(*command, words->store);
    addFormatOption(*command, words->format, {"table", "json"});
    command->callback([words, &context] {
        context.action = [words, &context] { return launchSweep(*words, context.stop); };
    });
}

}  // namespace dailies::app

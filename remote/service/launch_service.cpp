#include "remote/service/launch_service.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/command.h"
#include "core/sweep/stages.h"
#include "remote/fit/resource_check.h"
#include "remote/launch/forecast.h"
#include "remote/launch/predecessor.h"
#include "remote/launch/then_sample.h"
#include "remote/program/program.h"
#include "remote/trainer_install/trainer_install.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace dailies::remote {

namespace {

constexpr std::string_view kDecidesWhileFollowed =
    "It schedules runs only while Dailies follows it: run `dailies follow`, or keep the desktop program "
    "connected.";

std::set<std::size_t> skippedRuns(const LaunchRequest& request, const std::vector<sweep::PlannedRun>& runs,
                                  const tracking::Store* store, const std::string& cluster) {
    if (!request.skipRepeats) return {};
    return forecast(request.sweep, runs, store ? PastRuns(*store, cluster) : PastRuns()).repeatedRuns();
}

/// What the sweep waits for, as far as it is known: the sweep before it in a chain is not, until it is sent.
Predecessor knownPredecessor(const sweep::Sweep& sweep, const tracking::Store* store,
                             const std::string& cluster, std::size_t runs) {
    if (!sweep.after || sweep.after->sweep.empty()) return {};
    if (!store)
        throw InputError(
            "after: found no sweep " + sanitizedText(sweep.after->sweep) + " on cluster '" + cluster + "'.",
            "Name a sweep that was launched there, or its id.");
    return predecessorOf(*store, sweep, cluster, runs);
}

std::vector<ClusterFinding> checkSamplingResources(const LaunchRequest& request, std::size_t runs,
                                                   const ClusterProfile& profile,
                                                   const slurm::ClusterFacts& facts) {
    std::vector<ClusterFinding> findings;
    if (request.thenSample && request.thenSample->resources)
        findings = checkResources(*request.thenSample->resources, runs, profile, facts);
    else if (request.sweep.sampleCheckpoints)
        findings = checkResources(
            sweep::samplingResources(*request.sweep.sampleCheckpoints, request.sweep.resources), runs,
            profile, facts);
    for (auto& finding : findings) finding.what += " of the sampling";
    return findings;
}

void applyEditOf(const LaunchRequest& request, LaunchPlan& plan, const ClusterProfile& profile) {
    if (request.edit) plan.script = applyEdit(*request.edit, plan.script, profile.workspace);
}

}  // namespace

std::vector<LaunchRequest> stageRequests(const LaunchRequest& request) {
    std::vector<LaunchRequest> requests;
    for (auto& stage : sweep::stagesOf(request.sweep))
        requests.push_back({std::move(stage), request.skipRepeats, request.edit});
    if (request.edit && requests.size() > 1)
        throw InputError("stages: found an edited script beside them, which would be that of each stage.",
                         "Discard the edit, or launch the stages as sweeps of their own with --chain.");
    requests.back().thenSample = request.thenSample;
    return requests;
}

void chainRequests(std::vector<LaunchRequest>& requests) {
    for (std::size_t i = 1; i < requests.size(); ++i) {
        auto& after = requests[i].sweep.after;
        if (!after) after.emplace();
        after->sweep.clear();  // known when the one before it is launched
    }
}

LaunchPlan previewLaunch(const LaunchRequest& request, const ClusterProfile& profile,
                         const std::string& workspace, const tracking::Store* store) {
    const auto runs = sweep::expand(request.sweep);
    const auto skipped = skippedRuns(request, runs, store, profile.name);
    const auto before = knownPredecessor(request.sweep, store, profile.name, runs.size() - skipped.size());
    auto plan = planLaunch(request.sweep, profile, workspace, {}, skipped, before);
    applyEditOf(request, plan, profile);
    return plan;
}

void validateLaunch(std::span<const LaunchRequest> chain, const ClusterProfile& profile,
                    const slurm::ClusterFacts* facts, const tracking::Store* store) {
    std::size_t before = 0;  // runs of the one before it
    const sweep::Sweep* previous = nullptr;
    for (const auto& request : chain) {
        if (request.thenSample) requireSampleable(request.sweep, *request.thenSample);
        const auto runs = previewLaunch(request, profile, profile.workspace, store).runs;
        throwIfInvalid(checkOffline(request.sweep, runs.size(), profile, facts));
        if (facts) {
            throwIfTooLarge(programOf(request.sweep).memory(request.sweep, runs, profile, facts));
            throwIfInvalid(checkSamplingResources(request, runs.size(), profile, *facts));
        }
        const bool fromThere = before > 0 && request.sweep.after && request.sweep.after->fromCheckpoint;
        if (fromThere && ((before != 1 && before != runs.size()) || sweep::isAdaptive(request.sweep)))
            throw InputError("Sweep " + sanitizedText(request.sweep.name) +
                                 " cannot begin from the checkpoints of the one before it, which has " +
                                 std::to_string(before) + " runs.",
                             "Give it as many runs, known at launch, or that one a single run.");
        if (previous && request.sweep.after && request.sweep.after->initFromBest) requireBest(*previous);
        before = runs.size();
        previous = &request.sweep;
    }
}

LaunchCheck checkLaunch(Cluster& cluster, const LaunchRequest& request, const tracking::Store* store,
                        std::stop_token stop) {
    const auto stages = stageRequests(request);
    LaunchCheck whole;
    for (const auto& stage : stages) {
        const auto plan = previewLaunch(stage, cluster.profile(), cluster.workspace(), store);
        auto check = checkLaunch(cluster, plan, stop);
        if (&stage == &stages.front()) whole.startTime = check.startTime;
        std::ranges::move(check.findings, std::back_inserter(whole.findings));
        std::ranges::move(checkSamplingResources(stage, plan.runs.size(), cluster.profile(), cluster.facts()),
                          std::back_inserter(whole.findings));
    }
    return whole;
}

LaunchService::LaunchService(Cluster& cluster, tracking::Store& store, Progress progress)
    : m_cluster(cluster),
      m_store(store),
      m_progress(progress ? std::move(progress) : [](const std::string&) {}) {}

Launched LaunchService::send(const LaunchRequest& request, std::stop_token stop) {
    auto sweep = request.sweep;
    const auto& profile = m_cluster.profile();
    const auto runs = sweep::expand(sweep);
    const auto skipped = skippedRuns(request, runs, &m_store, profile.name);
    if (!skipped.empty())
        m_progress("Left out " + pluralize(static_cast<long long>(skipped.size()), "run that repeats another",
                                           "runs that repeat others"));
    const auto before = predecessorOf(m_store, sweep, profile.name, runs.size() - skipped.size());
    const auto program = programOf(sweep).prepare(m_cluster, sweep, m_progress, stop);
    Launched launched{planLaunch(sweep, profile, m_cluster.workspace(), program, skipped, before), {}};
    applyEditOf(request, launched.plan, profile);
    lastCheck(launched, stop);
    if (request.thenSample) {
        auto both = launchThenSample(m_cluster, launched.plan, *request.thenSample,
                                     {program.version, program.path}, m_store, m_progress, stop);
        launched.job = std::move(both.trainingJob);
        launched.sampling = {std::move(both.sampling), std::move(both.samplingJob)};
    } else {
        launched.job = remote::launch(m_cluster, launched.plan, m_store, m_progress, stop);
    }
    if (sweep.earlyStop || sweep::isAdaptive(sweep)) launched.notes.emplace_back(kDecidesWhileFollowed);
    return launched;
}

void LaunchService::launchChain(std::vector<LaunchRequest> requests,
                                const std::function<void(Launched)>& launched, std::stop_token stop) {
    validateLaunch(requests, m_cluster.profile(), &m_cluster.facts(), &m_store);
    std::string before;
    for (auto& request : requests) {
        if (!before.empty()) request.sweep.after->sweep = before;
        auto sent = send(request, stop);
        before = sent.plan.sweepId;
        launched(std::move(sent));
    }
}

Launched LaunchService::relaunch(const RelaunchTarget& target, std::stop_token stop) {
    auto again = planRelaunch(
        m_cluster, m_store, target,
        [&](sweep::Sweep& sweep) { return programOf(sweep).prepare(m_cluster, sweep, m_progress, stop); },
        stop);
    if (again.differences.empty())
        again.differences.emplace_back("The same script, configs and trainer as before.");
    Launched launched{std::move(again.plan), {}};
    launched.notes = std::move(again.differences);
    lastCheck(launched, stop);
    launched.job = remote::launch(m_cluster, launched.plan, m_store, m_progress, stop);
    return launched;
}

Relaunch LaunchService::previewRelaunch(const RelaunchTarget& target, std::stop_token stop) {
    return planRelaunch(
        m_cluster, m_store, target,
        [&](const sweep::Sweep& sweep) { return programOf(sweep).present(m_cluster.workspace()); }, stop);
}

void LaunchService::lastCheck(Launched& launched, std::stop_token stop) {
    auto findings = checkLaunch(m_cluster, launched.plan, stop).findings;
    throwIfInvalid(findings);
    std::erase_if(findings, [](const auto& finding) { return finding.verdict == Verdict::Good; });
    for (const auto& finding : findings) m_progress(describe(finding));
    launched.warnings = std::move(findings);
}

}  // namespace dailies::remote

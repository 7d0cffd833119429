#include "remote/follow/sweep_controller.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/adopt.h"
#include "remote/launch/submission.h"
#include "remote/program/program.h"
#include "remote/slurm/controller_unreachable.h"
#include "remote/ssh/session_error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;
using tracking::RunStatus;

/// How long a run that is stopped early may take to write its checkpoint before it is cancelled.
constexpr std::chrono::seconds kGrace{120};

/// So many failures in a row end a sweep's proposals: what breaks every run is not cured by another.
constexpr std::size_t kMaxFailures = 3;

sweep::Trial trialOf(const sweep::Sweep& sweep, const tracking::Run& run) {
    using State = sweep::Trial::State;
    sweep::Trial trial;
    trial.values = parameterValues(sweep, run);
    trial.state = tracking::isActive(run.status)      ? State::Open
                  : run.status == RunStatus::Finished ? State::Finished
                  : run.status == RunStatus::Killed   ? State::Stopped
                                                      : State::Failed;
    if (const auto metric = run.metrics.find(sweep.metric); metric != run.metrics.end()) {
        trial.result = metric->second.value;
        trial.step = metric->second.step;
    }
    return trial;
}

/// People judge clips and scorers score them when they get to it, often after the run has ended.
bool isGivenLater(const std::string& metric) {
    return metric.starts_with("review/") || metric.starts_with("score/");
}

std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// "Based on the results of 14 runs; the best so far is lr=0.003 with loss 0.21."
std::string whyProposed(const sweep::Sweep& sweep, const std::vector<const tracking::Run*>& earlier) {
    std::size_t results = 0;
    const tracking::Run* best = nullptr;
    double bestValue = 0;
    for (const tracking::Run* run : earlier) {
        const auto metric = run->metrics.find(sweep.metric);
        if (metric == run->metrics.end() || tracking::isActive(run->status)) continue;
        ++results;
        const double value = metric->second.value;
        if (!std::isfinite(value) || (best && !isBetter(value, bestValue, sweep.goal))) continue;
        best = run;
        bestValue = value;
    }
    if (!best) return "Sampled before any results were available.";
    return "Based on the results of " + std::to_string(results) + (results == 1 ? " run" : " runs") +
           "; the best so far is " + best->name + " with " + sweep.metric + " " + shown(bestValue) + ".";
}

/// The store that launched it decides: two that know different results would decide different things.
bool isAdopted(const tracking::Store& store, const tracking::SweepRecord& record) {
    const auto runs = sweepRuns(store, record.id);
    return !runs.empty() && runs.front().run.tags.contains(kAdoptedTag);
}

/// A rung is so many logged values, whatever their steps.
std::vector<sweep::RungValue> passedByCount(const sweep::EarlyStop& rule,
                                            const std::vector<tracking::MetricPoint>& curve) {
    std::vector<sweep::RungValue> passed;
    for (const std::int64_t rung : sweep::rungsOf(rule, static_cast<std::int64_t>(curve.size()) + 1)) {
        const auto& point = curve[static_cast<std::size_t>(rung) - 1];
        passed.push_back({rung, point.step, point.timestampMs, point.value});
    }
    return passed;
}

}  // namespace

SweepController::Report SweepController::runOnce(std::stop_token stop) {
    Report report;
    findSweeps();
    for (auto at = m_sweeps.begin(); at != m_sweeps.end();) {
        Watched& watched = at->second;
        const std::size_t notes = report.notes.size();
        refresh(watched);
        if (watched.sweep.earlyStop) stopEarly(watched, report, stop);
        if (sweep::isAdaptive(watched.sweep)) advance(watched, report, stop);
        if (report.notes.size() > notes) report.changedSweeps.insert(at->first);
        const bool open = std::ranges::any_of(
            watched.members, [](const auto& entry) { return tracking::isActive(entry.second.run.status); });
        const bool toCome = mayPropose(watched);
        if (toCome)
            report.remainingRuns += static_cast<int>(watched.runCount - watched.members.rbegin()->first - 1);
        at = open || toCome ? std::next(at) : m_sweeps.erase(at);
    }
    return report;
}

/// Sweeps that decide nothing while they run are looked at once.
void SweepController::findSweeps() {
    for (tracking::SweepRecord& record : m_store.sweeps()) {
        if (record.cluster != m_cluster.profile().name || record.jobId.empty()) continue;
        if (!m_known.insert(record.id).second) continue;
        Watched watched;
        try {
            watched.sweep = sweep::parseSweep(record.yaml, "sweep " + record.id);
            if (!watched.sweep.earlyStop && !sweep::isAdaptive(watched.sweep)) continue;
            if (isAdopted(m_store, record)) continue;
            watched.runCount = sweep::runCountOf(watched.sweep);
        } catch (const InputError&) {
            continue;  // recorded by a program that knew other methods: left to that program
        }
        watched.record = std::move(record);
        const std::string id = watched.record.id;
        m_sweeps.emplace(id, std::move(watched));
    }
}

/// Reads the runs that may have changed, and those that another controller may have added.
void SweepController::refresh(Watched& watched) {
    std::map<std::string, std::size_t> tasks;
    for (std::size_t task = 0; task < watched.runCount; ++task) {
        const auto known = watched.members.find(task);
        if (known != watched.members.end() && task > 0 && !tracking::isActive(known->second.run.status) &&
            !isGivenLater(watched.sweep.metric))
            continue;
        tasks[runIdOf(watched.record.id, task)] = task;
    }
    std::vector<std::string> ids;
    for (const auto& [id, task] : tasks) ids.push_back(id);
    for (tracking::Run& run : m_store.runs(ids)) {
        Member& member = watched.members[tasks.at(run.id)];
        member.run = std::move(run);
        if (watched.sweep.earlyStop) readClimb(watched, member);
    }
}

/// The whole curve is read only when the run has passed a further rung.
void SweepController::readClimb(const Watched& watched, Member& member) {
    member.climb.active =
        tracking::isActive(member.run.status) && tagOf(member.run, tag::kStoppedWhy).empty();
    const auto latest = member.run.metrics.find(watched.sweep.metric);
    if (latest == member.run.metrics.end()) return;
    auto& passed = member.climb.passed;
    const auto steps = programOf(watched.sweep).steps(member.run);
    if (!steps) {
        passed =
            passedByCount(*watched.sweep.earlyStop, m_store.history(member.run.id, watched.sweep.metric));
        return;
    }
    auto rungs = sweep::rungsOf(*watched.sweep.earlyStop, *steps);
    std::erase_if(rungs, [&](std::int64_t rung) { return rung > latest->second.step; });
    if (rungs.size() <= passed.size()) return;
    const auto curve = m_store.history(member.run.id, watched.sweep.metric);
    passed.clear();
    for (const std::int64_t rung : rungs) {
        const auto point = std::ranges::lower_bound(curve, rung, {}, &tracking::MetricPoint::step);
        if (point != curve.end()) passed.push_back({rung, point->step, point->timestampMs, point->value});
    }
}

void SweepController::stopEarly(Watched& watched, Report& report, std::stop_token stop) {
    decideStops(watched, report);
    carryOutStops(watched, stop);
}

void SweepController::decideStops(Watched& watched, Report& report) {
    std::vector<sweep::RungProgress> climbs;
    std::vector<Member*> members;
    for (auto& [task, member] : watched.members) {
        climbs.push_back(member.climb);
        members.push_back(&member);
    }
    const auto& sweep = watched.sweep;
    for (const auto& decision : sweep::stopDecisions(*sweep.earlyStop, sweep.goal, climbs)) {
        Member& member = *members[decision.run];
        const bool countsValues = !programOf(sweep).steps(member.run);
        const std::string why = sweep::explain(decision, sweep.goal, sweep.metric, countsValues);
        m_store.setTag(member.run.id, tag::kStoppedRung,
                       std::to_string(countsValues ? decision.at.step : decision.at.rung));
        m_store.addMessage({member.run.id, unixMillis(), "info", why});
        m_store.setTag(member.run.id, tag::kStoppedWhy, why);  // last: with it the decision stands
        member.run.tags[tag::kStoppedWhy] = why;
        member.climb.active = false;
        report.changedRuns.insert(member.run.id);
        report.notes.push_back(member.run.name + ": " + why);
    }
}

/// A run is asked to end by itself, because its checkpoint lets a person take it up again; cancelling it
/// would throw away what it has learnt since the last one. One that does not end, or waits for a requeued
/// job to start, is cancelled.
void SweepController::carryOutStops(Watched& watched, std::stop_token stop) {
    const auto now = std::chrono::steady_clock::now();
    const bool asks = programOf(watched.sweep).canBeAskedToStop(watched.sweep);
    std::vector<std::string> toAsk, toCancel;
    for (auto& [task, member] : watched.members) {
        if (!tracking::isActive(member.run.status) || tagOf(member.run, tag::kStoppedWhy).empty()) continue;
        const std::string job = jobOf(member.run, watched.record.jobId);
        if (job.empty() || member.cancelled) continue;
        const bool runs = tagOf(member.run, tag::kSlurmState) == "RUNNING";
        if (runs && asks && !member.asked) {
            member.asked = now;
            toAsk.push_back(job);
        } else if (!runs || !asks || now - *member.asked > kGrace) {
            member.cancelled = true;
            toCancel.push_back(job);
        }
    }
    m_cluster.scheduler().requestStop(toAsk, stop);
    m_cluster.scheduler().cancel(toCancel, stop);
}

bool SweepController::mayPropose(const Watched& watched) const {
    if (!sweep::isAdaptive(watched.sweep) || watched.exhausted || watched.members.empty()) return false;
    const auto& first = watched.members.begin()->second.run;
    if (watched.members.rbegin()->first + 1 >= watched.runCount || first.tags.contains(tag::kSweepCancelled))
        return false;
    std::size_t failures = 0;
    for (auto at = watched.members.rbegin(); at != watched.members.rend(); ++at) {
        const RunStatus status = at->second.run.status;
        // a smaller model may well fit where a larger one was refused
        if (tracking::isActive(status) || at->second.run.tags.contains(tag::kRefused)) continue;
        if (status != RunStatus::Failed) break;
        if (++failures >= kMaxFailures) return false;
    }
    return true;
}

void SweepController::advance(Watched& watched, Report& report, std::stop_token stop) {
    const std::size_t fresh = proposeRuns(watched, report);
    for (auto& [task, member] : watched.members) {
        if (tagOf(member.run, tag::kSubmission).empty()) continue;
        if (tagOf(member.run, tag::kJob).empty() && tracking::isActive(member.run.status)) {
            if (stop.stop_requested()) throw Cancelled();
            submitRun(watched, member, task >= fresh, report, stop);
        }
        const std::string job = tagOf(member.run, tag::kJob);
        if (!member.followed && !job.empty() && tracking::isActive(member.run.status)) {
            report.jobs.emplace_back(member.run.id, job);
            member.followed = true;
        }
    }
}

/// Records as many runs as may run beside those that go on; returns the first task that is this controller's
/// own and was never submitted.
std::size_t SweepController::proposeRuns(Watched& watched, Report& report) {
    if (!mayPropose(watched)) return watched.runCount;
    const std::size_t first = watched.members.rbegin()->first + 1;
    const auto open = static_cast<std::size_t>(std::ranges::count_if(
        watched.members, [](const auto& entry) { return tracking::isActive(entry.second.run.status); }));
    const auto atOnce = static_cast<std::size_t>(std::max(1, watched.sweep.resources.parallelRuns));
    if (open >= atOnce) return watched.runCount;
    sweep::History history;
    std::vector<const tracking::Run*> earlier;
    for (const auto& [task, member] : watched.members) {
        history.push_back(trialOf(watched.sweep, member.run));
        earlier.push_back(&member.run);
    }
    const auto planned = sweep::propose(watched.sweep, history, atOnce - open);
    watched.exhausted = planned.empty();
    const std::string why = whyProposed(watched.sweep, earlier);
    std::size_t fresh = watched.runCount;
    const Program& program = programOf(watched.sweep);
    const auto predict = program.predictor(watched.sweep, m_cluster.profile(), m_cluster.facts());
    for (std::size_t i = 0; i < planned.size(); ++i) {
        const std::size_t task = first + i;
        tracking::Run run = recordOf(m_cluster, watched.record, planned[i], task);
        for (const auto& [key, value] : program.tags(watched.sweep)) run.tags[key] = value;
        predict(run, planned[i].config);
        run.startMs = unixMillis();
        run.tags[tag::kProposal] = why;
        run.tags[tag::kSubmission] = watched.record.id + "." + std::to_string(task);
        m_store.createRun(run);
        auto recorded = m_store.run(run.id);  // another controller's, when it was quicker
        if (!recorded) continue;
        if (recorded->params == run.params) fresh = std::min(fresh, task);
        report.changedRuns.insert(run.id);
        report.notes.push_back(recorded->name + ": " + why);
        watched.members[task].run = std::move(*recorded);
    }
    return fresh;
}

/// `fresh`: it was recorded a moment ago, so nobody can have submitted it.
void SweepController::submitRun(Watched& watched, Member& member, bool fresh, Report& report,
                                std::stop_token stop) {
    const std::string id = tagOf(member.run, tag::kSubmission);
    Submission submission{id, {}, singleRunScript(watched.record.script, watched.record.id, id), {}};
    const auto planned = sweep::plannedRun(watched.sweep, parameterValues(watched.sweep, member.run));
    submission.document = {{"sweep_id", watched.record.id},
                           {"name", watched.record.name},
                           {"runs", Json::array({{{"run_id", member.run.id},
                                                  {"name", member.run.name},
                                                  {"varied", planned.varied},
                                                  {"why", tagOf(member.run, tag::kProposal)}}})}};
    const Program& program = programOf(watched.sweep);
    submission.tasks = {{member.run.id, planned.config, {}, program.runFiles(watched.sweep, planned)}};
    submission.files = program.sweepFiles();
    std::string job;
    try {
        if (!fresh) job = findSubmittedJob(m_cluster, id, stop).value_or("");
        if (job.empty()) {
            if (const auto memory =
                    program.memory(watched.sweep, {planned}, m_cluster.profile(), &m_cluster.facts());
                memory.verdict == planner::FitVerdict::tooLarge) {
                m_store.setTag(member.run.id, tag::kRefused, "memory");
                member.run.tags[tag::kRefused] = "memory";
                throwIfTooLarge(memory);
            }
            writeSubmissionFiles(m_cluster, submission, {}, stop);
            job = submit(m_cluster, submission);
        }
    } catch (const ssh::SessionError&) {
        throw;  // recorded: the next controller asks Slurm first
    } catch (const slurm::ControllerUnreachable& error) {
        // sbatch may have been heard, so the run has not failed: the next round asks Slurm first
        if (fresh)
            report.notes.push_back(member.run.name + ": " + error.what() +
                                   " It is submitted once slurmctld answers.");
        return;
    } catch (const Error& error) {
        return failUnsubmitted(member, error.full(), report);
    }
    member.run.tags[tag::kJob] = job + "_0";
    m_store.setTag(member.run.id, tag::kJob, job + "_0");
    report.changedRuns.insert(member.run.id);
}

void SweepController::failUnsubmitted(Member& member, const std::string& why, Report& report) {
    m_store.setTag(member.run.id, tag::kReason, why);
    m_store.addMessage({member.run.id, unixMillis(), "error", why});
    m_store.setStatus(member.run.id, RunStatus::Failed, unixMillis());
    member.run.status = RunStatus::Failed;
    report.changedRuns.insert(member.run.id);
    report.notes.push_back(member.run.name + ": " + why);
}

}  // namespace dailies::remote

#include "remote/follow/follow.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/events/event_log.h"
#include "core/tracking/sample_counts.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/follow/run_state.h"
#include "remote/program/program.h"
#include "remote/slurm/output.h"
#include "remote/ssh/session_error.h"

#include <algorithm>
#include <exception>
#include <tuple>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;

/// More torn lines than kills leave behind: something else writes the file.
constexpr std::size_t kManyMalformed = 10;

/// Slurm remembers jobs that have ended for MinJobAge, five minutes unless a site asks for less.
constexpr std::int64_t kRememberedMs = 60'000;

/// A settled run's row: its status is final and Slurm's word that was recorded last is, too.
bool isSettled(const tracking::Run& run) {
    const std::string state = tagOf(run, tag::kSlurmState);
    return !tracking::isActive(run.status) && (slurm::isFinal(state) || state == kLost);
}

auto asTuple(const tracking::Attempt& a) {
    return std::tie(a.runId, a.job, a.restarts, a.state, a.reason, a.exitCode, a.node, a.startMs, a.endMs);
}

/// Those behind the last one of this job; all, where it has none.
std::vector<AttemptRecord> marksSince(std::vector<AttemptRecord> marks, const std::string& job) {
    const auto last = std::find_if(marks.rbegin(), marks.rend(),
                                   [&](const auto& mark) { return slurm::arrayJobId(mark.job) == job; });
    marks.erase(marks.begin(), last.base());
    return marks;
}

std::string rowOf(const slurm::JobStatus& s) {
    return s.state + '|' + s.reason + '|' + s.exitCode + '|' + s.node + '|' + std::to_string(s.restarts);
}

}  // namespace

Follower::Follower(Cluster& cluster, tracking::Store& store, std::filesystem::path mirror,
                   std::optional<MirrorLimits> limits)
    : m_cluster(cluster),
      m_store(store),
      m_clips(cluster, store, mirror, limits),
      m_sources(clusterFiles(cluster.session(), cluster.workspace()), store, std::move(mirror)),
      m_sweepController(cluster, store),
      m_failureHold(cluster, store),
      m_samples(store) {}

FollowReport Follower::pollOnce(std::stop_token stop, Clips clips) {
    FollowReport report;
    findRuns();
    // Slurm is asked before the files are read: what a job wrote before it left Slurm is then among what is
    // read.
    std::exception_ptr slurmFailure;
    Statuses statuses;
    const auto asked = std::chrono::steady_clock::now();
    try {
        statuses = askSlurm(stop);
    } catch (const ssh::SessionError&) {
        throw;
    } catch (const Error&) {
        slurmFailure = std::current_exception();  // curves go on while slurmctld restarts
    }
    report.slurmTook = std::chrono::steady_clock::now() - asked;
    const auto attempts = readEvents(report, stop);
    const auto moved = readSources(attempts, report, stop);
    if (!slurmFailure) {
        auto sampled = m_samples.look(attempts, statuses);
        report.changedRuns.merge(sampled.changedRuns);
        for (auto at = m_runs.begin(); at != m_runs.end();) {
            const auto marks = attempts.find(at->first);
            const bool settled =
                reconcileRun(at->first, at->second, statuses, marks == attempts.end() ? "" : marks->second,
                             report.changedRuns.contains(at->first), moved.contains(at->first), report);
            // what a checkpoint's samples are comes after the run has ended; a video is whole a round later
            const bool isOver = settled && !m_samples.isWaitedFor(at->first) && !moved.contains(at->first);
            if (isOver) m_sources.forget(at->first), m_samples.forget(at->first);
            at = isOver ? m_runs.erase(at) : std::next(at);
        }
        cancelAgain(statuses, stop);
        SweepController::Report decided = m_sweepController.runOnce(stop);
        for (auto& [runId, job] : decided.jobs)
            if (const auto run = m_store.run(runId)) addRun(*run, job);
        report.changedRuns.merge(decided.changedRuns);
        report.remainingRuns = decided.remainingRuns;
        report.changedSweeps = std::move(decided.changedSweeps);
        report.notes = std::move(decided.notes);
        std::ranges::move(sampled.notes, std::back_inserter(report.notes));
        report.remainingSamples = m_samples.waiting();
        if (!m_failed.empty()) {
            report.alerts = m_failureHold.look(m_failed, stop);
            m_failed.clear();
        }
    }
    report.activeRuns = static_cast<int>(m_runs.size());
    if (clips == Clips::Fetch) {
        fetchClips(report, stop);
    } else {
        report.moreClips = true;
    }
    if (slurmFailure) std::rethrow_exception(slurmFailure);
    return report;
}

void Follower::fetchClips(FollowReport& report, std::stop_token stop) {
    ClipMirror::FetchResult fetched = m_clips.fetch(stop);
    for (const auto& [runId, clips] : fetched.clips) report.newClips += clips;
    report.changedRuns.merge(fetched.changedRuns);
    report.moreClips = fetched.more;
}

/// Reading every run of a large store is done only when a sweep came or was submitted; those that are active
/// are few. Among them is what was extended or adopted, by this program or another.
void Follower::findRuns() {
    std::vector<std::pair<std::string, std::string>> sweeps;
    for (const tracking::SweepRecord& sweep : m_store.sweeps())
        if (sweep.cluster == m_cluster.profile().name) sweeps.emplace_back(sweep.id, sweep.jobId);
    const std::map<std::string, std::string> jobs(sweeps.begin(), sweeps.end());
    for (const tracking::Run& run : sweeps == m_sweeps ? m_store.activeRuns() : m_store.runs()) {
        const auto sweep = jobs.find(tagOf(run, tag::kSweep));
        if (sweep == jobs.end() || (isSettled(run) && tracking::sampleCountsOf(run).waiting == 0)) continue;
        if (const std::string job = jobOf(run, sweep->second); !job.empty()) addRun(run, job);
    }
    m_sweeps = std::move(sweeps);
}

/// A run that is known already begins anew with a job that was recorded since.
void Follower::addRun(const tracking::Run& run, const std::string& job) {
    const auto [at, isNew] = m_runs.try_emplace(run.id);
    auto& followed = at->second;
    if (!isNew && job == followed.recorded) return;
    if (isNew || job != followed.job) followed = {.job = job, .readsSources = !programOf(run).tellsItsEnd()};
    followed.recorded = job;
}

Follower::Statuses Follower::askSlurm(std::stop_token stop) {
    std::vector<std::string> jobs;
    for (const auto& [runId, followed] : m_runs) jobs.push_back(followed.job);
    std::ranges::move(m_samples.openJobs(), std::back_inserter(jobs));
    Statuses statuses;
    for (slurm::JobStatus& status : m_cluster.scheduler().poll(jobs, stop)) {
        const std::string job = status.job;
        statuses.insert_or_assign(job, std::move(status));
    }
    return statuses;
}

/// Reads until nothing is left, and returns the runs' attempts.tsv.
std::map<std::string, std::string> Follower::readEvents(FollowReport& report, std::stop_token stop) {
    std::map<std::string, std::string> attempts;
    std::vector<std::string> wanted;
    for (const auto& [runId, followed] : m_runs) wanted.push_back(runId);
    while (!wanted.empty()) {
        if (stop.stop_requested()) throw Cancelled();
        std::vector<ReadPosition> positions;
        for (const std::string& runId : wanted)
            positions.push_back({runId, m_store.ingestState(runId).offset});
        const auto update = readRuns(m_cluster.session(), m_cluster.workspace(), positions, stop);
        std::vector<std::string> more;
        for (const ReadPosition& position : positions) {
            const auto at = update.find(position.runId);
            if (at == update.end()) continue;
            attempts[position.runId] = at->second.attempts;
            if (at->second.size < position.offset)
                warnOnce(position.runId,
                         "events.jsonl on the cluster is shorter than before: it was "
                         "replaced or truncated. "
                         "What was already read is kept.");
            if (at->second.size > position.offset + static_cast<std::int64_t>(at->second.events.size()))
                more.push_back(position.runId);
            if (at->second.events.empty()) continue;
            if (const int events = ingest(position.runId, position.offset, at->second, report.changedRuns);
                events > 0) {
                report.newEvents += events;
                report.changedRuns.insert(position.runId);
            }
        }
        wanted = std::move(more);
    }
    return attempts;
}

/// Returns the runs of whose files something was read.
std::set<std::string> Follower::readSources(const std::map<std::string, std::string>& attempts,
                                            FollowReport& report, std::stop_token stop) {
    std::map<std::string, std::vector<AttemptRecord>> runs;
    for (const auto& [runId, text] : attempts)
        if (const auto run = m_runs.find(runId); run != m_runs.end() && run->second.readsSources)
            runs[runId] = parseAttempts(text);
    auto read = m_sources.poll(runs, {}, stop);
    report.changedRuns.merge(read.changedRuns);
    return std::move(read.movedRuns);
}

int Follower::ingest(const std::string& runId, std::int64_t offset, const RunUpdate& update,
                     std::set<std::string>& changedRuns) {
    const events::ParsedChunk chunk = events::parseChunk(update.events);
    if (chunk.malformed.size() > kManyMalformed)
        warnOnce(runId,
                 "events.jsonl has many invalid lines; they were skipped. Does another program "
                 "write it?");
    if (chunk.consumed == 0) {
        if (static_cast<std::int64_t>(update.events.size()) < kChunkBytes)
            return 0;  // a torn line: read again later
        warnOnce(runId, "events.jsonl holds a line of more than 4 MiB; it was skipped.");
        m_store.ingest(runId, {}, offset + static_cast<std::int64_t>(update.events.size()));
        return 0;
    }
    m_store.ingest(runId, chunk.events, offset + static_cast<std::int64_t>(chunk.consumed));
    bool hasMetrics = false;
    for (const auto& event : chunk.events) {
        if (const auto* score = std::get_if<events::Score>(&event.payload)) changedRuns.insert(score->run);
        hasMetrics = hasMetrics || std::holds_alternative<events::Metrics>(event.payload);
    }
    if (const auto run = m_runs.find(runId); hasMetrics && run != m_runs.end() && run->second.readsSources)
        m_sources.leaveOutput(runId);
    return static_cast<int>(chunk.events.size());
}

/// Returns whether the run is settled.
bool Follower::reconcileRun(const std::string& runId, Followed& followed, const Statuses& statuses,
                            const std::string& attempts, bool newEvents, bool filesMoved,
                            FollowReport& report) {
    const auto status = statuses.find(followed.job);
    const std::int64_t now = unixMillis();
    if (status != statuses.end() && status->second.state == "PENDING") followed.waitedMs = now;
    const std::string seen =
        (status == statuses.end() ? std::string() : rowOf(status->second)) + '\n' + attempts;
    if (seen == followed.seen && !followed.over && !newEvents) return false;
    const auto run = m_store.run(runId);
    if (!run || run->deleted) return true;
    const bool hasSamples = tracking::sampleCountsOf(*run) != tracking::SampleCounts{};
    if (hasSamples && isSettled(*run)) return true;  // they alone are still followed
    RunObservation observation;
    observation.status = run->status;
    observation.reason = tagOf(*run, tag::kReason);
    if (status != statuses.end()) observation.slurm = status->second;
    followed.cancelRequested = observation.cancelRequested = run->tags.contains(tag::kCancelled);
    observation.recentlyPending = followed.waitedMs > 0 && now - followed.waitedMs < kRememberedMs;
    observation.endsByExitCode = !programOf(*run).tellsItsEnd();
    observation.stopReason = tagOf(*run, tag::kStoppedWhy);
    observation.lastSlurmState = tagOf(*run, tag::kSlurmState);
    observation.marks = marksSince(parseAttempts(attempts), tagOf(*run, tag::kExtendedAfter));
    // Of two submissions under one comment the job that began first has the run; the other does nothing.
    if (!observation.marks.empty() &&
        slurm::arrayJobId(observation.marks.back().job) != slurm::arrayJobId(followed.job)) {
        followed.job = observation.marks.back().job;
        return false;
    }
    observation.confirmed = followed.over && seen == followed.seen;
    const RunState state = reconcile(observation);
    followed.seen = seen;
    followed.over = state.over;
    if (state.over && (!state.settled || filesMoved)) return false;  // what moved is read once more

    bool changed = false;
    std::map<std::pair<std::string, std::int64_t>, tracking::Attempt> known;
    for (tracking::Attempt& attempt : m_store.attempts(runId))
        known[{attempt.job, attempt.restarts}] = std::move(attempt);
    const auto attemptList = attemptsOf(runId, observation);
    // no start event says when it began
    if (observation.endsByExitCode && !attemptList.empty() && attemptList.front().startMs > 0 &&
        attemptList.front().startMs != run->startMs)
        m_store.setStart(runId, attemptList.front().startMs), changed = true;
    for (const tracking::Attempt& attempt : attemptList) {
        const auto at = known.find({attempt.job, attempt.restarts});
        if (at != known.end() && asTuple(at->second) == asTuple(attempt)) continue;
        m_store.putAttempt(attempt);
        changed = true;
    }
    if (state.status != run->status) {
        m_store.setStatus(runId, state.status,
                          tracking::isActive(state.status)
                              ? std::nullopt
                              : std::optional(state.endMs.value_or(unixMillis())));
        if (state.status == tracking::RunStatus::Failed)
            m_store.addMessage({runId, unixMillis(), "error", state.reason});
        changed = true;
    }
    const auto setTag = [&](const char* key, const std::string& value) {
        if (tagOf(*run, key) == value) return;
        m_store.setTag(runId, key, value);
        changed = true;
    };
    setTag(tag::kReason, state.reason);
    setTag(tag::kJob, followed.job);
    setTag(tag::kSlurmState,
           state.slurmState);  // last: with a final word here the run is never followed again
    if (changed) report.changedRuns.insert(runId);
    if (state.settled && state.status == tracking::RunStatus::Failed) m_failed.insert(runId);
    return state.settled;
}

/// Slurm forgets a cancellation that met a job about to be requeued: its script asks for the requeue
/// afterwards.
void Follower::cancelAgain(const Statuses& statuses, std::stop_token stop) {
    std::vector<std::string> jobs;
    for (const auto& [runId, followed] : m_runs) {
        const auto status = statuses.find(followed.job);
        if (followed.cancelRequested && status != statuses.end() && !slurm::isFinal(status->second.state) &&
            status->second.state != "COMPLETING")
            jobs.push_back(followed.job);
    }
    m_cluster.scheduler().cancel(jobs, stop);
}

void Follower::warnOnce(const std::string& runId, const std::string& text) {
    if (!m_warned.insert({runId, text}).second) return;
    for (const tracking::RunMessage& message : m_store.messages(runId))
        if (message.text == text) return;
    m_store.addMessage({runId, unixMillis(), "warning", text});
}

}  // namespace dailies::remote

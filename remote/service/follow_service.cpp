#include "remote/service/follow_service.h"

#include "core/base/error.h"
#include "core/base/sleep.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/store_lock.h"
#include "core/tracking/store_read_only_error.h"
#include "remote/launch/launch.h"
#include "remote/slurm/controller_unreachable.h"
#include "remote/ssh/session_error.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace dailies::remote {

namespace {

using namespace std::chrono_literals;
using Clock = FollowService::Clock;

constexpr auto kStoreLook = 1s;
/// Between the end of one run and the record of the next that its sweep decides on.
constexpr auto kDeciding = 5s;

/// nullopt where another Dailies has the store; `why` says so then.
std::optional<tracking::StoreLock> lockOf(const tracking::Store& store, std::string& why) {
    try {
        return std::optional<tracking::StoreLock>(std::in_place, store.file());
    } catch (const tracking::StoreReadOnlyError& error) {
        why = error.what();
        return std::nullopt;
    }
}

/// What can be told of a round that another Dailies made.
FollowReport reportOf(const tracking::Store& store, const std::string& cluster) {
    FollowReport report;
    const auto active = store.activeRuns();
    report.activeRuns = static_cast<int>(std::ranges::count_if(
        active, [&](const auto& run) { return tagOf(run, tracking::tag::kCluster) == cluster; }));
    return report;
}

/// The lock once the other Dailies has ended; nullopt when the task is done before.
std::optional<tracking::StoreLock> watchTheOther(const FollowTask& task, const std::string& cluster,
                                                 const tracking::Store& store, const std::string& why,
                                                 std::stop_token stop) {
    if (task.progress)
        task.progress(why + (task.once ? " The runs are followed there."
                                       : " The runs are followed there, and here once that has ended."));
    auto lastUndone = Clock::now();
    for (;;) {
        std::string still;
        if (auto lock = lockOf(store, still)) return lock;
        const auto now = Clock::now();
        const bool done = task.done(reportOf(store, cluster));
        if (task.once) return std::nullopt;
        if (!done) lastUndone = now;
        if (now - lastUndone >= kDeciding) return std::nullopt;
        sleepUnlessStopped(kStoreLook, stop);
    }
}

void sleepUntil(Clock::time_point time, const std::stop_token& stop) {
    sleepUnlessStopped(std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now())),
                       stop);
}

/// Until the task is done or the connection is lost.
void followWhileConnected(const FollowTask& task, FollowService& service, int& failures,
                          std::stop_token stop) {
    bool silent = false;  // slurmctld, and that was told
    for (;;) {
        try {
            auto report = service.poll(stop);
            failures = 0;
            silent = false;
            do {
                service.fetchClips(report, stop);
            } while (report.moreClips && Clock::now() < service.nextPoll());
            if (task.done(report) || task.once) return;
        } catch (const slurm::ControllerUnreachable& error) {
            if (task.once) throw;
            if (task.progress && !std::exchange(silent, true)) task.progress(error.full());
        }
        sleepUntil(service.nextPoll(), stop);
    }
}

}  // namespace

FollowService::FollowService(Cluster& cluster, tracking::Store& store, std::shared_ptr<PollRateLimiter> calls,
                             Clock::duration idleInterval)
    : m_cluster(cluster),
      m_follower(cluster, store, mirrorFolder(store.file())),
      m_calls(std::move(calls)),
      m_interval(std::chrono::seconds(std::max(1, cluster.profile().pollSeconds))),
      m_idleInterval(std::max(m_interval, idleInterval)),
      m_nextPoll(Clock::now()) {}

FollowReport FollowService::poll(std::stop_token stop) {
    const auto begin = Clock::now();
    m_nextPoll = begin + m_interval;  // also when it fails
    m_moreClips = true;               // perhaps, and also when Slurm does not answer: `fetchClips` looks
    auto report = m_follower.pollOnce(stop, Follower::Clips::Leave);
    if (report.activeRuns > 0) {
        m_calls->recordCall(begin, report.slurmTook);
        m_nextPoll = m_calls->next(begin, m_interval);
    } else {
        m_cluster.session().keepAlive();  // nothing else would notice that the connection is gone
        m_nextPoll = Clock::now() + m_idleInterval;
    }
    return report;
}

void FollowService::fetchClips(FollowReport& report, std::stop_token stop) {
    try {
        m_follower.fetchClips(report, stop);
        m_moreClips = report.moreClips;
    } catch (const Error&) {
        m_moreClips = false;  // the next round tries again
        throw;
    }
}

void settleLaunches(Cluster& cluster, tracking::Store& store, const Progress& progress,
                    const std::function<void(const Error&)>& failed, std::stop_token stop) {
    try {
        for (const auto& sweep : resumeLaunches(cluster, store, progress, failed, stop))
            if (progress)
                progress("Sweep " + sweep + " was only partly submitted earlier; that is resolved now.");
    } catch (const Error& error) {
        if (ssh::isConnectionError(error)) throw;
        failed(error);
    }
}

std::chrono::milliseconds reconnectDelay(int failures) {
    constexpr auto kLongest = 60s;
    thread_local std::minstd_rand random{std::random_device{}()};
    const auto base = std::min<std::chrono::milliseconds>(1s * (1 << std::min(failures, 6)), kLongest);
    return base * std::uniform_int_distribution<int>(75, 125)(random) / 100;
}

bool isComplete(const FollowReport& report) {
    return report.remainingRuns == 0 && report.remainingSamples == 0 && !report.moreClips;
}

void followUntilDone(FollowTask task, const ClusterProfile& profile, tracking::Store& store,
                     std::stop_token stop) {
    std::string why;
    auto lock = lockOf(store, why);
    if (!lock && !task.watchIfFollowed)
        throw tracking::StoreReadOnlyError(why, "The runs are followed there. Close it to follow them here.");
    if (!lock) lock = watchTheOther(task, profile.name, store, why, stop);
    if (!lock) return;
    const auto calls = std::make_shared<PollRateLimiter>(profile.callsPerMinute);
    const auto tell = [&](const std::string& line) {
        if (task.progress) task.progress(line);
    };
    for (int failures = 0;;) {
        try {
            if (!task.cluster) task.cluster = task.connect();
            settleLaunches(
                *task.cluster, store, tell, [&](const Error& error) { tell(error.full()); }, stop);
            FollowService service(*task.cluster, store, calls);
            followWhileConnected(task, service, failures, stop);
            return;
        } catch (const ssh::SessionError& error) {
            if (!ssh::isConnectionError(error)) throw;
            const auto wait = reconnectDelay(failures++);
            tell(error.what() + std::string(" Trying again in ") +
                 std::to_string(std::chrono::ceil<std::chrono::seconds>(wait).count()) + " s.");
            task.cluster.reset();
            sleepUnlessStopped(wait, stop);
        }
    }
}

}  // namespace dailies::remote

#include "remote/cluster/run_cluster.h"
#include "remote/follow/log_mirror.h"
#include "remote/launch/extend.h"
#include "remote/launch/launch.h"
#include "remote/launch/source_runs.h"
#include "remote/ssh/session_error.h"
#include "ui/link/cluster_worker.h"
#include "ui/link/requirements.h"
#include "ui/widgets/widgets.h"

// What the pages ask of a ClusterWorker that is done in a moment: on the following thread, between its
// rounds.

namespace dailies::ui {

namespace {

using namespace std::chrono_literals;
using remote::ssh::isConnectionError;
using Clock = Lane::Clock;

constexpr int kHistoryDays = 14;

}  // namespace

remote::ClusterProfile ClusterWorker::profileFor(const std::string& cluster) const {
    if (m_info) return m_info->profile;
    remote::ClusterProfile profile;
    profile.name = cluster;
    profile.workspace = "~/dailies";
    return profile;
}

void ClusterWorker::cancelRuns(const std::vector<std::string>& runIds, bool endSweeps) {
    m_follow.lane().askSoon([this, runIds, endSweeps](std::stop_token stop) {
        remote::cancelRuns(m_follow.requireCluster(), *m_follow.store(), runIds, endSweeps, stop);
        m_follow.pollSoon();
        post([this, runIds] { emit runsChanged(runIds); });
    });
}

void ClusterWorker::extendRun(const std::string& runId, std::int64_t steps) {
    m_follow.lane().askSoon([this, runId, steps](std::stop_token stop) {
        remote::extendRun(m_follow.requireCluster(), *m_follow.store(), runId, steps, stop);
        m_follow.pollSoon();
        post([this, runId] {
            emit extended(runId);
            emit runsChanged({runId});
        });
    });
}

void ClusterWorker::mirrorLog(const std::string& runId, const std::string& job) {
    m_follow.lane().ask([this, runId, asked = job](std::stop_token) {
        const auto unavailable = [&](const QString& why) {
            post([this, runId, why] { emit logUnavailable(runId, why); });
        };
        try {
            if (!m_follow.store()) {
                throw notConnectedError();
            }
            const auto run = remote::requireRun(*m_follow.store(), runId);
            remote::requireConnected(m_follow.cluster(), run);
            const std::string which = !asked.empty() ? asked : remote::newestJob(*m_follow.store(), run);
            if (which.empty()) {
                unavailable(tr("No job of this run has started yet."));
                return;
            }
            const auto notification =
                remote::mirrorLog(*m_follow.cluster(), remote::mirrorFolder(m_storeFile), run, which);
            post([this, runId, which, notification] {
                emit logMirrored(runId, which, notification.file.string(), notification.more);
            });
        } catch (const Error& error) {
            unavailable(QString::fromStdString(error.full()));
            if (isConnectionError(error)) {
                throw;
            }
        }
    });
}

void ClusterWorker::fetchClip(const std::string& file) {
    m_follow.lane().askFirst([this, file](std::stop_token stop) {
        QString why;
        try {
            bringClip(file, stop);
        } catch (const Cancelled&) {
            why = tr("It was stopped.");
        } catch (const Error& error) {
            why = QString::fromStdString(error.full());
            if (isConnectionError(error)) {
                post([this, file, why] { emit clipFetchFinished(file, why); });
                throw;
            }
        }
        post([this, file, why] { emit clipFetchFinished(file, why); });
    });
}

void ClusterWorker::bringClip(const std::string& file, std::stop_token stop) {
    const auto mirror = std::filesystem::absolute(remote::mirrorFolder(m_storeFile));
    const auto place = std::filesystem::path(file).lexically_relative(mirror);
    const std::string runId = place.empty() ? "" : place.begin()->string();
    const auto run =
        m_follow.store() && !runId.empty() && runId != ".." ? m_follow.store()->run(runId) : std::nullopt;
    if (!run) {
        throw Error("The file is missing and can't be fetched from a cluster.");
    }
    if (m_follow.readOnlyReason().empty()) {
        remote::requireConnected(m_follow.cluster(), *run);
    }
    m_follow.requireCluster();
    auto next = Clock::now();
    m_follow.clips().fetchOne(
        runId, place.lexically_relative(runId).string(),
        [&](std::uint64_t, std::uint64_t) {
            if (Clock::now() < next) {
                return;
            }
            next = Clock::now() + 300ms;
            post([this, file] { emit clipPartFetched(file); });
        },
        stop);
    m_follow.notifyRunsChanged({runId});
}

void ClusterWorker::mirrorPreflights() {
    m_follow.lane().ask([this](std::stop_token stop) {
        const auto history = remote::preflightHistory(m_follow.requireCluster().profile().name);
        remote::mirrorPreflights(m_follow.requireCluster(), history, stop);
        post([this, history] { emit nodesChecked(history, false); });
    });
}

void ClusterWorker::browse(const std::string& path) {
    m_follow.lane().askSoon([this, path](std::stop_token stop) {
        try {
            const auto folder = remote::browse(m_follow.requireCluster().session(), path, stop);
            post([this, path, folder] { emit folderListed(path, folder); });
        } catch (const Error& error) {
            post([this, path, error] { emit folderListingFailed(path, error); });
            if (isConnectionError(error)) {
                throw;
            }
        }
    });
}

void ClusterWorker::pollNow() {
    m_follow.lane().ask([this](std::stop_token) { m_follow.pollOrConnectNow(); });
}

void ClusterWorker::watchCluster(bool watched) {
    m_follow.lane().ask([this, watched](std::stop_token) { m_follow.setWatched(watched); });
}

void ClusterWorker::refreshClusterView() {
    m_follow.lane().ask([this](std::stop_token) { m_follow.lookAtAllSoon(); });
}

void ClusterWorker::changeJobs(JobChange change, const std::vector<std::string>& jobs) {
    m_follow.lane().askSoon([this, change, jobs](std::stop_token stop) {
        auto& scheduler = m_follow.requireCluster().scheduler();
        m_follow.calls().measure([&] {
            change == JobChange::Cancel ? scheduler.cancel(jobs, stop)
            : change == JobChange::Hold ? scheduler.hold(jobs, stop)
                                        : scheduler.release(jobs, stop);
        });
        m_follow.pollSoon();
        m_follow.lookSoon();
    });
}

void ClusterWorker::readHistory() {
    m_follow.lane().askLeisurely([this](std::stop_token stop) {
        auto& cluster = m_follow.requireCluster();
        std::vector<remote::slurm::QueuedJob> jobs;
        if (cluster.facts().accounting) {
            jobs = m_follow.calls().measure([&] { return cluster.scheduler().history(kHistoryDays, stop); });
        }
        post([this, jobs = std::move(jobs)] { emit historyRead(jobs); });
    });
}

void ClusterWorker::measureUsage(const std::string& job) {
    m_follow.lane().askLeisurely([this, job](std::stop_token stop) {
        try {
            auto& scheduler = m_follow.requireCluster().scheduler();
            m_follow.calls().recordCall(Clock::now(), 0s);  // it takes a second, however quick Slurm is
            auto nodes = scheduler.usage(job, stop);
            post([this, job, nodes = std::move(nodes)] { emit usageMeasured(job, nodes); });
        } catch (const Error& error) {
            post(
                [this, job, why = QString::fromStdString(error.full())] { emit usageUnavailable(job, why); });
            if (isConnectionError(error)) {
                throw;
            }
        }
    });
}

}  // namespace dailies::ui

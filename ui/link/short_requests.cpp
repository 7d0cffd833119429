#include "core/base/text.h"
#include "core/tracking/run_tags.h"
#include "remote/follow/log_mirror.h"
#include "remote/launch/export_checkpoint.h"
#include "remote/launch/extend.h"
#include "remote/service/sampling_service.h"
#include "remote/service/scoring_service.h"
#include "remote/ssh/session_error.h"
#include "remote/trainer_install/trainer_install.h"
#include "ui/link/cluster_worker.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <algorithm>
#include <set>

// What the pages ask of a ClusterWorker: each is done on its thread, one behind the other.

namespace dailies::ui {

namespace {

using namespace std::chrono_literals;
using remote::ssh::isConnectionError;

constexpr int kHistoryDays = 14;

}  // namespace

void ClusterWorker::send(std::function<Sent(remote::Cluster&, const Progress&, std::stop_token)> work) {
    m_busy = true;
    enqueue([this, work = std::move(work)](std::stop_token stop) {
        const auto finish = [this](std::function<void()> tell) {
            post([this, tell = std::move(tell)] {
                m_busy = false;
                tell();
            });
        };
        try {
            const auto sent = work(
                requireCluster(), [this](const std::string& line) { reportProgress(line); }, stop);
            m_nextPoll = Clock::now();
            finish([this, sent] { emit launched(sent.notification, sent.runIds); });
        } catch (const Cancelled&) {
            finish([this] { emit launchStopped(); });
        } catch (const Error& error) {
            finish([this, error] { emit launchFailed(error); });
            if (isConnectionError(error)) {
                throw;  // the connection is gone, too
            }
        }
    });
}

void ClusterWorker::launch(const remote::LaunchRequest& request) {
    send([this, request](remote::Cluster& cluster, const Progress& progress, std::stop_token stop) {
        return sentOf(remote::LaunchService(cluster, *m_store, progress).launch(request, stop));
    });
}

void ClusterWorker::checkLaunch(const remote::LaunchRequest& request) {
    enqueue([this, request](std::stop_token stop) {
        try {
            const auto check = remote::checkLaunch(requireCluster(), request, &*m_store, stop);
            post([this, check] { emit launchChecked(check); });
        } catch (const Error& error) {
            post([this, error] { emit launchFailed(error); });
            if (isConnectionError(error)) {
                throw;
            }
        }
    });
}

void ClusterWorker::relaunchRun(const std::string& runId, bool wholeSweep) {
    send([this, runId, wholeSweep](remote::Cluster& cluster, const Progress& progress, std::stop_token stop) {
        const auto target = remote::relaunchTargetOf(*m_store, runId, wholeSweep);
        return sentOf(remote::LaunchService(cluster, *m_store, progress).relaunch(target, stop));
    });
}

ClusterWorker::Sent ClusterWorker::sentOf(const remote::Launched& launched) {
    std::vector<std::string> remarks = launched.notes;
    for (const auto& warning : launched.warnings) remarks.push_back(remote::describe(warning));
    if (!remarks.empty()) {
        post([this, text = sanitized(join(remarks, "\n"))] { emit notificationPosted(text); });
    }
    const QString name = sanitized(launched.plan.sweep.name);
    const auto runs = launched.plan.runIds.size();
    return {runs == 1 ? tr("Launched %1: 1 run").arg(name) : tr("Launched %1: %2 runs").arg(name).arg(runs),
            launched.plan.runIds};
}

ClusterWorker::Sent ClusterWorker::sentOf(const QString& notification,
                                          const std::vector<tracking::Run>& runs) {
    Sent sent{notification, {}};
    for (const auto& run : runs) sent.runIds.push_back(run.id);
    return sent;
}

void ClusterWorker::sample(const remote::SamplingRequest& request) {
    send([this, request](remote::Cluster& cluster, const Progress& progress, std::stop_token stop) {
        const auto plan = remote::submitSampling(cluster, *m_store, request, progress, stop).plan;
        const std::set<std::string> sampled(request.runIds.begin(), request.runIds.end());
        return sentOf(sampled.size() == 1 ? tr("Sampling 1 run") : tr("Sampling %1 runs").arg(sampled.size()),
                      plan.runs);
    });
}

void ClusterWorker::score(const remote::ScoringRequest& request) {
    send([this, request](remote::Cluster& cluster, const Progress& progress, std::stop_token stop) {
        const auto plan = remote::submitScoring(cluster, *m_store, request, progress, stop).plan;
        return sentOf(
            plan.runs.size() == 1 ? tr("Scoring 1 run") : tr("Scoring %1 runs").arg(plan.runs.size()),
            plan.runs);
    });
}

remote::ClusterProfile ClusterWorker::profileFor(const std::string& cluster) const {
    if (m_info) return m_info->profile;
    remote::ClusterProfile profile;
    profile.name = cluster;
    profile.workspace = "~/dailies";
    return profile;
}

void ClusterWorker::cancelRuns(const std::vector<std::string>& runIds, bool endSweeps) {
    enqueue([this, runIds, endSweeps](std::stop_token stop) {
        remote::cancelRuns(requireCluster(), *m_store, runIds, endSweeps, stop);
        m_nextPoll = Clock::now();
        post([this, runIds] { emit runsChanged(runIds); });
    });
}

void ClusterWorker::extendRun(const std::string& runId, std::int64_t steps) {
    enqueue([this, runId, steps](std::stop_token stop) {
        remote::extendRun(requireCluster(), *m_store, runId, steps, stop);
        // a follower looks only for runs of new sweeps; a fresh one finds this run, too
        m_follower =
            std::make_unique<remote::Follower>(*m_cluster, *m_store, remote::mirrorFolder(m_storeFile));
        m_nextPoll = Clock::now();
        post([this, runId] {
            emit extended(runId);
            emit runsChanged({runId});
        });
    });
}

void ClusterWorker::mirrorLog(const std::string& runId, const std::string& job) {
    enqueue([this, runId, asked = job](std::stop_token) {
        const auto unavailable = [&](const QString& why) {
            post([this, runId, why] { emit logUnavailable(runId, why); });
        };
        const auto run = m_store ? m_store->run(runId) : std::nullopt;
        const std::string cluster = run ? tagOf(*run, tracking::tag::kCluster) : "";
        if (!m_cluster || (!cluster.empty() && cluster != m_cluster->profile().name)) {
            unavailable(cluster.empty()
                            ? tr("Not connected to a cluster.")
                            : tr("Not connected to %1, where this log is.").arg(sanitized(cluster)));
            return;
        }
        try {
            const std::string which = !asked.empty() || !run ? asked : remote::newestJob(*m_store, *run);
            if (which.empty()) {
                unavailable(tr("No job of this run has started yet."));
                return;
            }
            const auto notification =
                remote::mirrorLog(*m_cluster, remote::mirrorFolder(m_storeFile), *run, which);
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

void ClusterWorker::pullCheckpoints(const std::string& runId) {
    enqueue([this, runId](std::stop_token stop) {
        auto& cluster = requireCluster();
        const int files = remote::pullRun(
            cluster, *m_store, remote::mirrorFolder(m_storeFile), runId, remote::PullScope::Checkpoints,
            [this](const std::string& line) { reportProgress(line); }, stop);
        post([this, runId, files] { emit checkpointsPulled(runId, files); });
    });
}

void ClusterWorker::fetchClip(const std::string& file) {
    enqueueFirst([this, file](std::stop_token stop) {
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
    const auto run = m_store && !runId.empty() && runId != ".." ? m_store->run(runId) : std::nullopt;
    if (!run) {
        throw Error("Its file is gone, and it is not a clip that was mirrored.");
    }
    const std::string clusterOfRun = tagOf(*run, tracking::tag::kCluster);
    if (m_readOnlyReason.empty() && (!m_cluster || clusterOfRun != m_cluster->profile().name)) {
        throw Error(
            "It is on " + (clusterOfRun.empty() ? "a cluster" : clusterOfRun) + ", which is not connected.",
            "Connect on the Cluster page, then open it again.");
    }
    requireCluster();
    auto next = Clock::now();
    m_follower->clips().fetchOne(
        runId, place.lexically_relative(runId).string(),
        [&](std::uint64_t, std::uint64_t) {
            if (Clock::now() < next) {
                return;
            }
            next = Clock::now() + 300ms;
            post([this, file] { emit clipPartFetched(file); });
        },
        stop);
    notifyRunsChanged({runId});
}

void ClusterWorker::exportCheckpoint(const std::string& runId, std::int64_t step,
                                     const std::filesystem::path& folder) {
    remote::CheckpointExport wanted;
    wanted.runId = runId;
    wanted.checkpoint.kind = remote::CheckpointChoice::Kind::Steps;
    wanted.checkpoint.steps.push_back(step);
    wanted.folder = folder;
    enqueue([this, wanted](std::stop_token stop) {
        auto& cluster = requireCluster();
        const auto progress = [this](const std::string& line) { reportProgress(line); };
        const auto trainer = remote::ensureTrainer(cluster, remote::makeSourceBundle(), progress, stop);
        const auto exported = remote::exportCheckpoint(cluster, *m_store, wanted, trainer, progress, stop);
        post([this, exported] { emit checkpointExported(QString::fromStdString(exported.string())); });
    });
}

void ClusterWorker::checkNodes(const remote::PreflightRequest& request) {
    enqueue([this, request](std::stop_token stop) {
        auto& cluster = requireCluster();
        const auto progress = [this](const std::string& line) { reportProgress(line); };
        const auto wanted = remote::withDefaults(request, cluster.profile(), cluster.facts());
        const auto trainer = remote::ensureTrainer(cluster, remote::makeSourceBundle(), progress, stop);
        const auto history = remote::preflightHistory(cluster.profile().name);
        remote::runPreflight(cluster, trainer, wanted, history, progress, stop);
        post([this, history] { emit nodesChecked(history, true); });
    });
}

void ClusterWorker::mirrorPreflights() {
    enqueue([this](std::stop_token stop) {
        const auto history = remote::preflightHistory(requireCluster().profile().name);
        remote::mirrorPreflights(requireCluster(), history, stop);
        post([this, history] { emit nodesChecked(history, false); });
    });
}

void ClusterWorker::findUntracked() {
    enqueue([this](std::stop_token stop) {
        auto& cluster = requireCluster();
        auto found = remote::findUntrackedSweeps(cluster, *m_store, stop);
        post([this, found = std::move(found)] { emit untrackedFound(found); });
    });
}

void ClusterWorker::adopt(const std::vector<remote::UntrackedSweep>& sweeps) {
    enqueue([this, sweeps](std::stop_token stop) {
        auto& cluster = requireCluster();
        const auto adoption = remote::adopt(cluster, *m_store, sweeps, stop);
        // A follower looks only for runs of new sweeps; a fresh one finds those of a known sweep, too.
        m_follower =
            std::make_unique<remote::Follower>(*m_cluster, *m_store, remote::mirrorFolder(m_storeFile));
        m_nextPoll = Clock::now();
        post([this, adoption] {
            for (const auto& note : adoption.notes) emit notificationPosted(QString::fromStdString(note));
            if (const auto count = adoption.runIds.size(); count > 0)
                emit notificationPosted(count == 1 ? tr("Adopted 1 run") : tr("Adopted %1 runs").arg(count));
            emit runsChanged(adoption.runIds);
            emit adopted(adoption.runIds);
        });
    });
    findUntracked();
}

void ClusterWorker::browse(const std::string& path) {
    enqueue([this, path](std::stop_token stop) {
        try {
            const auto folder = remote::browse(requireCluster().session(), path, stop);
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
    enqueue([this](std::stop_token) { m_nextPoll = m_nextAttempt = Clock::now(); });
}

void ClusterWorker::watchCluster(bool watched) {
    enqueue([this, watched](std::stop_token) { m_watched = watched; });
}

void ClusterWorker::refreshClusterView() {
    enqueue([this](std::stop_token) { m_nextLook = m_nextNodes = m_rateLimiter.next(Clock::now(), 0s); });
}

void ClusterWorker::changeJobs(JobChange change, const std::vector<std::string>& jobs) {
    enqueue([this, change, jobs](std::stop_token stop) {
        auto& scheduler = requireCluster().scheduler();
        m_rateLimiter.measure([&] {
            change == JobChange::Cancel ? scheduler.cancel(jobs, stop)
            : change == JobChange::Hold ? scheduler.hold(jobs, stop)
                                        : scheduler.release(jobs, stop);
        });
        m_nextPoll = m_nextLook = Clock::now();
    });
}

void ClusterWorker::readHistory() {
    enqueue([this](std::stop_token stop) {
        auto& cluster = requireCluster();
        std::vector<remote::slurm::QueuedJob> jobs;
        if (cluster.facts().accounting) {
            jobs = m_rateLimiter.measure([&] { return cluster.scheduler().history(kHistoryDays, stop); });
        }
        post([this, jobs = std::move(jobs)] { emit historyRead(jobs); });
    });
}

void ClusterWorker::measureUsage(const std::string& job) {
    enqueue([this, job](std::stop_token stop) {
        try {
            auto& scheduler = requireCluster().scheduler();
            m_rateLimiter.recordCall(Clock::now(), 0s);  // it takes a second, however quick Slurm is
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

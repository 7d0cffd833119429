#include "core/base/text.h"
#include "remote/follow/follow.h"
#include "remote/launch/source_runs.h"
#include "remote/program/code_difference.h"
#include "remote/service/batch_service.h"
#include "remote/service/curated_copy.h"
#include "remote/service/dataset_service.h"
#include "remote/service/export_checkpoint.h"
#include "remote/service/preflight_service.h"
#include "remote/service/sampling_service.h"
#include "remote/service/scoring_service.h"
#include "remote/ssh/session_error.h"
#include "remote/trainer_install/trainer_install.h"
#include "ui/link/cluster_worker.h"
#include "ui/widgets/widgets.h"

#include <memory>
#include <set>

// What the pages ask of a ClusterWorker that takes long: on the working thread, one behind the other.

namespace dailies::ui {

namespace {

using remote::Cluster;
using tracking::Store;

/// What a launch says that was cut off; `isRecorded`: in the store, and perhaps not yet with Slurm.
Error cutOff(const Error& error, bool isRecorded) {
    if (!remote::ssh::isConnectionError(error)) return error;
    return Error(error.what(), isRecorded
                                   ? "What was launched is recorded: Dailies connects again by itself, "
                                     "asks Slurm for it and sends it if Slurm has never heard of it."
                                   : "Nothing was launched: runs that are there go on. Launch again.");
}

}  // namespace

void ClusterWorker::send(
    std::function<Sent(remote::Cluster&, tracking::Store&, const Progress&, std::stop_token)> work) {
    m_busy = true;
    const auto finish = [this](std::function<void()> tell) {
        post([this, tell = std::move(tell)] {
            m_busy = false;
            tell();
        });
    };
    const auto begun = std::make_shared<bool>(false);  // on the working thread alone
    m_work.ask(
        [this, finish, begun, work = std::move(work)](Cluster& cluster, Store& store, std::stop_token stop) {
            *begun = true;
            const auto sent = work(
                cluster, store, [this](const std::string& line) { onProgress(line); }, stop);
            finish([this, sent] {
                pollNow();  // the follower finds new sweeps in the store
                emit launched(sent.notification, sent.runIds);
            });
        },
        [this, finish, begun](const Error& error) {
            const bool isRecorded = *begun && m_work.hasLaunchesToResume();
            finish([this, told = cutOff(error, isRecorded)] { emit launchFailed(told); });
        },
        [this, finish] { finish([this] { emit launchStopped(); }); });
}

void ClusterWorker::launch(const remote::LaunchRequest& request) {
    send([this, request](Cluster& cluster, Store& store, const Progress& progress, std::stop_token stop) {
        std::vector<remote::Launched> stages;
        remote::LaunchService(cluster, store, progress)
            .launchChain(
                remote::stageRequests(request),
                [&](remote::Launched stage) { stages.push_back(std::move(stage)); }, stop);
        auto sent = sentOf(stages.front());
        if (stages.size() == 1) return sent;
        sent.notification = tr("Launched %1: %2 stages, %3")
                                .arg(sanitized(request.sweep.name))
                                .arg(stages.size())
                                .arg(runsText(stages.front().plan.runIds.size()));
        return sent;
    });
}

void ClusterWorker::checkLaunch(const remote::LaunchRequest& request) {
    m_work.ask(
        [this, request](Cluster& cluster, Store& store, std::stop_token stop) {
            const auto check = remote::checkLaunch(cluster, request, &store, stop);
            post([this, check] { emit launchChecked(check); });
        },
        [this](const Error& error) { post([this, error] { emit launchFailed(error); }); });
}

void ClusterWorker::relaunchRun(const std::string& runId, bool wholeSweep) {
    send([this, runId, wholeSweep](Cluster& cluster, Store& store, const Progress& progress,
                                   std::stop_token stop) {
        const auto target = remote::relaunchTargetOf(store, runId, wholeSweep);
        return sentOf(remote::LaunchService(cluster, store, progress).relaunch(target, stop));
    });
}

QString ClusterWorker::runsText(std::size_t count) {
    return count == 1 ? tr("1 run") : tr("%1 runs").arg(count);
}

ClusterWorker::Sent ClusterWorker::sentOf(const remote::Launched& launched) {
    std::vector<std::string> remarks = launched.notes;
    for (const auto& warning : launched.warnings) remarks.push_back(remote::describe(warning));
    if (!remarks.empty()) {
        post([this, text = sanitized(join(remarks, "\n"))] { emit notificationPosted(text); });
    }
    return {
        tr("Launched %1: %2").arg(sanitized(launched.plan.sweep.name), runsText(launched.plan.runIds.size())),
        launched.plan.runIds};
}

ClusterWorker::Sent ClusterWorker::sentOf(const QString& notification,
                                          const std::vector<tracking::Run>& runs) {
    Sent sent{notification, {}};
    for (const auto& run : runs) sent.runIds.push_back(run.id);
    return sent;
}

void ClusterWorker::sample(const remote::SamplingRequest& request) {
    send([this, request](Cluster& cluster, Store& store, const Progress& progress, std::stop_token stop) {
        const auto plan = remote::submitSampling(cluster, store, request, progress, stop).plan;
        const std::set<std::string> sampled(request.runIds.begin(), request.runIds.end());
        return sentOf(sampled.size() == 1 ? tr("Sampling 1 run") : tr("Sampling %1 runs").arg(sampled.size()),
                      plan.runs);
    });
}

void ClusterWorker::score(const remote::ScoringRequest& request) {
    send([this, request](Cluster& cluster, Store& store, const Progress& progress, std::stop_token stop) {
        const auto plan = remote::submitScoring(cluster, store, request, progress, stop).plan;
        return sentOf(
            plan.runs.size() == 1 ? tr("Scoring 1 run") : tr("Scoring %1 runs").arg(plan.runs.size()),
            plan.runs);
    });
}

void ClusterWorker::showBatch(const std::string& runId, qint64 step) {
    send([this, runId, step](Cluster& cluster, Store& store, const Progress& progress, std::stop_token stop) {
        remote::BatchRequest request{.runId = runId, .steps = {step}};
        request.resources = remote::singleProcessResources(store, {runId});
        const auto plan = remote::submitBatch(cluster, store, request, progress, stop).plan;
        return sentOf(tr("Decoding %1").arg(sanitized(plan.name)), {plan.run});
    });
}

void ClusterWorker::curate(const remote::CurationRequest& request) {
    send([this, request](Cluster& cluster, Store& store, const Progress& progress, std::stop_token stop) {
        const auto plan = remote::submitCuration(cluster, store, request, progress, stop).plan;
        return sentOf(tr("Curating films into %1").arg(sanitized(request.job.out)), plan.runs);
    });
}

void ClusterWorker::caption(const remote::CaptionRequest& request) {
    send([this, request](Cluster& cluster, Store& store, const Progress& progress, std::stop_token stop) {
        const auto plan = remote::submitCaptions(cluster, store, request, progress, stop).plan;
        return sentOf(tr("Captioning the clips of %1").arg(sanitized(request.job.folder)), plan.runs);
    });
}

void ClusterWorker::scoreClips(const remote::ClipScoringRequest& request) {
    send([this, request](Cluster& cluster, Store& store, const Progress& progress, std::stop_token stop) {
        const auto plan = remote::submitClipScores(cluster, store, request, progress, stop).plan;
        return sentOf(tr("Scoring the clips of %1").arg(sanitized(request.job.folder)), plan.runs);
    });
}

void ClusterWorker::shard(const remote::ShardRequest& request) {
    send([this, request](Cluster& cluster, Store& store, const Progress& progress, std::stop_token stop) {
        const auto plan = remote::submitShards(cluster, store, request, progress, stop).plan;
        return sentOf(tr("Packing clips into %1").arg(sanitized(request.job.out)), plan.runs);
    });
}

void ClusterWorker::copyCuratedFolder(const std::string& folder) {
    m_work.ask([this, folder](Cluster& cluster, Store&, std::stop_token stop) {
        const auto base = remote::curatedCopiesFolder(m_storeFile);
        const auto copy = remote::copyCuratedFolder(
            cluster, folder, base, [this](const std::string& line) { onProgress(line); }, stop);
        post([this, copy] { emit curatedFolderCopied(QString::fromStdString(copy.string())); });
    });
}

void ClusterWorker::sendVerdicts(const std::filesystem::path& copy) {
    m_work.ask([this, copy](Cluster& cluster, Store&, std::stop_token stop) {
        remote::sendVerdicts(cluster, copy, stop);
        post([this, copy] { emit verdictsSent(QString::fromStdString(copy.string())); });
    });
}

void ClusterWorker::forkOnPreferences(const remote::PreferenceForkRequest& request) {
    m_work.ask([this, request](Cluster& cluster, Store& store, std::stop_token stop) {
        post([this, fork = remote::forkOnPreferences(cluster, store, request, stop)] {
            emit preferencesForked(fork);
        });
    });
}

void ClusterWorker::pullCheckpoints(const std::string& runId) {
    m_work.ask([this, runId](Cluster& cluster, Store& store, std::stop_token stop) {
        const int files = remote::pullRun(
            cluster, store, remote::mirrorFolder(m_storeFile), runId, remote::PullScope::Checkpoints,
            [this](const std::string& line) { onProgress(line); }, stop);
        post([this, runId, files] { emit checkpointsPulled(runId, files); });
    });
}

void ClusterWorker::exportCheckpoint(const std::string& runId, std::int64_t step,
                                     const std::filesystem::path& folder) {
    remote::CheckpointExport wanted;
    wanted.runId = runId;
    wanted.checkpoint.kind = remote::CheckpointChoice::Kind::Steps;
    wanted.checkpoint.steps.push_back(step);
    wanted.folder = folder;
    m_work.ask([this, wanted](Cluster& cluster, Store& store, std::stop_token stop) {
        const auto progress = [this](const std::string& line) { onProgress(line); };
        const auto exported = remote::exportCheckpoint(cluster, store, wanted, progress, stop);
        post([this, exported] { emit checkpointExported(QString::fromStdString(exported.string())); });
    });
}

void ClusterWorker::compareCode(const std::string& referenceId, const std::string& runId) {
    m_work.ask([this, referenceId, runId](Cluster& cluster, Store& store, std::stop_token stop) {
        onProgress("Comparing the code");
        const auto difference = remote::codeDifference(cluster, remote::requireRun(store, referenceId),
                                                       remote::requireRun(store, runId), stop);
        post([this, referenceId, runId, difference] { emit codeCompared(referenceId, runId, difference); });
    });
}

void ClusterWorker::checkNodes(const remote::PreflightRequest& request) {
    m_work.ask([this, request](Cluster& cluster, Store&, std::stop_token stop) {
        const auto progress = [this](const std::string& line) { onProgress(line); };
        remote::measureNodes(cluster, request, progress, stop);
        post([this, history = remote::preflightHistory(cluster.profile().name)] {
            emit nodesChecked(history, true);
        });
    });
}

void ClusterWorker::findUntracked() {
    m_work.ask([this](Cluster& cluster, Store& store, std::stop_token stop) {
        auto found = remote::findUntrackedSweeps(cluster, store, stop);
        post([this, found = std::move(found)] { emit untrackedFound(found); });
    });
}

void ClusterWorker::adopt(const std::vector<remote::UntrackedSweep>& sweeps) {
    m_work.ask([this, sweeps](Cluster& cluster, Store& store, std::stop_token stop) {
        const auto adoption = remote::adopt(cluster, store, sweeps, stop);
        post([this, adoption] {
            pollNow();
            for (const auto& note : adoption.notes) emit notificationPosted(QString::fromStdString(note));
            if (const auto count = adoption.runIds.size(); count > 0)
                emit notificationPosted(count == 1 ? tr("Adopted 1 run") : tr("Adopted %1 runs").arg(count));
            emit runsChanged(adoption.runIds);
            emit adopted(adoption.runIds);
        });
    });
    findUntracked();
}

}  // namespace dailies::ui

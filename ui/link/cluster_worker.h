#pragma once

#include "core/base/error.h"
#include "core/tracking/store.h"
#include "remote/cluster/remote_folder.h"
#include "remote/cluster/snapshot_cache.h"
#include "remote/diagnostics/cluster_check.h"
#include "remote/diagnostics/preflight.h"
#include "remote/launch/adopt.h"
#include "remote/launch/caption_file.h"
#include "remote/launch/clip_scoring_file.h"
#include "remote/launch/curation_file.h"
#include "remote/launch/sampling_launch.h"
#include "remote/launch/scoring_launch.h"
#include "remote/launch/shard_file.h"
#include "remote/service/launch_service.h"
#include "remote/service/preference_fork.h"
#include "ui/link/follow_connection.h"
#include "ui/link/lane.h"
#include "ui/link/link_listener.h"
#include "ui/link/prompts.h"
#include "ui/link/work_connection.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

/// The cluster, for pages: asks a `FollowConnection` for what is done in a moment and a `WorkConnection` for
/// what takes long, and tells on the GUI thread what came of it. So nothing short waits behind something
/// long. A third thread tests clusters, beside the connections in use.
///
/// All methods are for the GUI thread and return at once; all signals arrive on it.
class ClusterWorker : public QObject, private LinkListener {
    Q_OBJECT

public:
    explicit ClusterWorker(std::filesystem::path storeFile, QObject* parent = nullptr);
    ~ClusterWorker() override;  ///< abandons what is under way and waits for the threads

    // -- as last signalled
    ConnectionState state() const { return m_state; }
    const std::string& clusterName() const {
        return m_clusterName;
    }  ///< of the profile in use, also while offline
    /// The cluster whose runs are heard of; empty while none is connected.
    std::string connectedTo() const { return m_state == ConnectionState::Connected ? m_clusterName : ""; }
    const std::optional<ClusterInfo>& info() const { return m_info; }  ///< while connected
    /// The connected cluster's profile, else one to plan with: scripts show what they would be there.
    remote::ClusterProfile profileFor(const std::string& cluster) const;
    bool busy() const { return m_busy; }  ///< a launch is under way
    /// Why nothing can be written, for a person; empty when it can. Known from `storeOpened` on.
    const std::string& readOnly() const { return m_readOnly; }

    Prompts& prompts() { return m_prompts; }
    const std::filesystem::path& storeFile() const { return m_storeFile; }

    /// Work under way for another cluster, or for this one in another way, is stopped.
    void connectTo(const remote::ClusterProfile& profile);
    void stopConnecting();  ///< also a test
    /// Looks at all that is needed of a cluster, beside the connection in use: `found` for each thing, then
    /// `tested`.
    void test(const remote::ClusterProfile& profile);
    void goOffline();  ///< a person wants it: `left`

    // -- what takes long, one behind the other, while the runs are followed
    /// Stops that which is under way.
    void stopWork();
    /// Builds the trainer where it is not, plans and submits: `launched` or `launchFailed`. Warnings of the
    /// last check are told by `notificationPosted`.
    void launch(const remote::LaunchRequest& request);
    /// Asks the cluster whether it would take the sweep, and sends nothing: `launchChecked`, or
    /// `launchFailed`.
    void checkLaunch(const remote::LaunchRequest& request);
    /// Launches the run, or else its whole sweep, exactly as before: `launched` or `launchFailed`. What could
    /// not be kept is told by `notificationPosted`.
    void relaunchRun(const std::string& runId, bool wholeSweep);
    /// Samples runs' checkpoints again, in the same way: `launched` or `launchFailed`.
    void sample(const remote::SamplingRequest& request);
    /// Shows what a step of the run takes of its data, in the same way.
    void showBatch(const std::string& runId, qint64 step);
    /// Gives runs' clips to a scorer, in the same way.
    void score(const remote::ScoringRequest& request);
    /// Cuts films of the cluster into clips, in the same way.
    void curate(const remote::CurationRequest& request);
    void caption(const remote::CaptionRequest& request);
    void scoreClips(const remote::ClipScoringRequest& request);
    void shard(const remote::ShardRequest& request);
    /// Copies a curated folder of the cluster, so far as thresholds need it: `progress` lines, then
    /// `curatedFolderCopied`, or `failed`.
    void copyCuratedFolder(const std::string& folder);
    /// Writes verdicts that were saved in a copy into the folder on the cluster: `verdictsSent`, or `failed`.
    void sendVerdicts(const std::filesystem::path& copy);
    /// Forks a run into one that learns what people preferred: `preferencesForked`, or `failed`.
    void forkOnPreferences(const remote::PreferenceForkRequest& request);
    /// Copies the run's checkpoints to the desktop: `progress` lines, then `checkpointsPulled`, or `failed`.
    void pullCheckpoints(const std::string& runId);
    /// Brings the weights of the run's checkpoint of that step into a folder, as safetensors: `progress`
    /// lines, then `checkpointExported`, or `failed`.
    void exportCheckpoint(const std::string& runId, std::int64_t step, const std::filesystem::path& folder);
    /// Has the cluster compare the code of a run with that of another: `codeCompared`, or `failed`.
    void compareCode(const std::string& referenceId, const std::string& runId);
    /// Measures the nodes of the cluster's partition in a job of its own: `progress` lines, then
    /// `nodesChecked`, or `failed`.
    void checkNodes(const remote::PreflightRequest& request = {});
    /// Looks for sweeps in the workspace that another store launched: `untrackedFound`, or `failed`.
    void findUntracked();
    /// Records these, and follows them from then on: `adopted`, or `failed`.
    void adopt(const std::vector<remote::UntrackedSweep>& sweeps);

    // -- what is done in a moment
    /// `endSweeps`: a sweep all of whose active runs are among them proposes no more.
    void cancelRuns(const std::vector<std::string>& runIds, bool endSweeps = false);
    /// Lets a run that has ended train on to that many steps: `extended`, or `failed`.
    void extendRun(const std::string& runId, std::int64_t steps);
    /// Brings the desktop's copy of an attempt's log up to date ("" = the newest attempt): `logMirrored`, or
    /// `logUnavailable`.
    void mirrorLog(const std::string& runId, const std::string& job);
    /// Brings the desktop's copies of all preflights up to date, those of runs included: `nodesChecked`.
    void mirrorPreflights();
    /// Fetches the mirrored clip whose file this is, ahead of everything else: `clipPartFetched` while it
    /// comes, then `clipFetchFinished`.
    void fetchClip(const std::string& file);
    /// Looks into a folder of the cluster: `folderListed` or `folderListingFailed`.
    void browse(const std::string& path);
    void pollNow();

    // -- the whole cluster, not only our runs
    enum class JobChange { Cancel, Hold, Release };
    /// Somebody looks at the cluster (or nobody any more): while they do, `clusterViewUpdated` comes every
    /// twelve seconds, more slowly where Slurm is slow. Nothing is asked while nobody looks.
    void watchCluster(bool watched);
    void refreshClusterView();  ///< once, with the nodes, as soon as the user's ceiling allows
    /// Jobs of ours in the queue, also such that Dailies did not submit: `clusterViewUpdated`, or `failed`.
    void changeJobs(JobChange change, const std::vector<std::string>& jobs);
    /// Our jobs that ended lately, where the cluster has accounting: `historyRead`, or `failed`.
    void readHistory();
    /// What a running job of ours uses: `usageMeasured`, or `usageUnavailable`.
    void measureUsage(const std::string& job);

signals:
    /// The store was made or opened, or could not be (then `failed` says why): from now on it can be read.
    void storeOpened();
    void stateChanged(dailies::ui::ConnectionState state);
    void left();
    /// What it is doing, for a person: "Uploading the trainer (412 kB)".
    void progress(const QString& line);
    void found(const dailies::remote::ClusterFinding& finding);
    void tested(dailies::remote::Verdict verdict);
    void connectionFailed(const dailies::Error& error);
    /// What was sent, for a person: "Sampling 4 runs".
    void launched(const QString& notification, const std::vector<std::string>& runIds);
    void launchFailed(const dailies::Error& error);
    void launchStopped();
    void launchChecked(const dailies::remote::LaunchCheck& check);
    /// Something worth knowing of what was launched, for a person.
    void notificationPosted(const QString& text);
    /// `job`'s log is in `file` as far as it was fetched; `more`: the cluster has more already.
    void logMirrored(const std::string& runId, const std::string& job, const std::string& file, bool more);
    void logUnavailable(const std::string& runId, const QString& why);
    void extended(const std::string& runId);
    void checkpointExported(const QString& folder);
    void curatedFolderCopied(const QString& copy);
    void verdictsSent(const QString& copy);
    void preferencesForked(const dailies::remote::PreferenceFork& fork);
    /// `difference`: as `remote::codeDifference` gives it.
    void codeCompared(const std::string& referenceId, const std::string& runId,
                      const std::string& difference);
    /// Where the reports of this cluster's preflights are; `measured`: by `checkNodes`, just now.
    void nodesChecked(const std::filesystem::path& history, bool measured);
    void checkpointsPulled(const std::string& runId, int files);
    void clipPartFetched(const std::string& file);
    /// The clip is here, or why it is not, for a person.
    void clipFetchFinished(const std::string& file, const QString& why);
    void untrackedFound(const std::vector<dailies::remote::UntrackedSweep>& sweeps);
    void adopted(const std::vector<std::string>& runIds);
    void folderListed(const std::string& asked, const dailies::remote::RemoteFolder& folder);
    void folderListingFailed(const std::string& asked, const dailies::Error& error);
    /// These runs have something new in the store; empty: any may (another program wrote).
    void runsChanged(const std::vector<std::string>& runIds);
    /// How the cluster is; `callsInMinute`: how often Slurm was asked in the last minute.
    void clusterViewUpdated(const std::shared_ptr<const dailies::remote::ClusterView>& view,
                            int callsInMinute);
    void historyRead(const std::vector<dailies::remote::slurm::QueuedJob>& jobs);
    void usageMeasured(const std::string& job, const std::vector<dailies::remote::slurm::NodeUsage>& nodes);
    void usageUnavailable(const std::string& job, const QString& why);
    /// Anything else that went wrong.
    void alertRaised(const dailies::alerts::Alert& alert);  ///< of a sweep; it is recorded
    void failed(const dailies::Error& error);

private:
    using Progress = std::function<void(const std::string&)>;
    struct Sent {
        QString notification;
        std::vector<std::string> runIds;
    };
    Sent sentOf(const remote::Launched& launched);
    static QString runsText(std::size_t count);
    static Sent sentOf(const QString& notification, const std::vector<tracking::Run>& runs);
    /// `work` sends runs to the cluster: `launched`, `launchFailed` or `launchStopped`.
    void send(std::function<Sent(remote::Cluster&, tracking::Store&, const Progress&, std::stop_token)> work);
    void bringClip(const std::string& file, std::stop_token stop);

    // -- from any thread
    void post(std::function<void()> onGui);
    void onStoreOpened(const std::string& readOnlyReason) override;
    void onStateChanged(ConnectionState state,
                        const std::shared_ptr<const FollowedCluster>& cluster) override;
    void onConnectionFailed(const Error& error) override;
    void onLaunchesToResume() override;
    void onRunsChanged(const std::vector<std::string>& runIds) override;
    void onViewUpdated(const std::shared_ptr<const remote::ClusterView>& view, int callsInMinute) override;
    void onAlert(const alerts::Alert& alert) override;
    void onProgress(const std::string& line) override;
    void onFailed(const Error& error) override;

    /// Its lane tests clusters and does nothing by itself.
    struct Tests final : Lane::Owner {
        explicit Tests(LinkListener& told) : listener(told), lane(*this) {}
        void onError(const Error& error) override { listener.onFailed(error); }

        LinkListener& listener;
        Lane lane;
    };

    const std::filesystem::path m_storeFile;

    // GUI thread
    ConnectionState m_state = ConnectionState::Offline;
    bool m_connecting = false;  ///< asked for, and neither connected nor given up yet
    std::string m_clusterName;
    std::optional<ClusterInfo> m_info;
    bool m_busy = false;
    std::string m_readOnly;

    Prompts m_prompts;
    ConnectionPrompter m_followPrompter{m_prompts}, m_workPrompter{m_prompts}, m_testPrompter{m_prompts};

    // last, because their threads use what is above
    FollowConnection m_follow;
    WorkConnection m_work;
    Tests m_tests;
};

}  // namespace dailies::ui

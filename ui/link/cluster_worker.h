#pragma once

#include "core/base/error.h"
#include "core/tracking/store.h"
#include "core/tracking/store_lock.h"
#include "remote/cluster/cluster.h"
#include "remote/cluster/poll_rate_limiter.h"
#include "remote/cluster/remote_folder.h"
#include "remote/cluster/snapshot_cache.h"
#include "remote/diagnostics/cluster_check.h"
#include "remote/diagnostics/preflight.h"
#include "remote/follow/follow.h"
#include "remote/launch/adopt.h"
#include "remote/launch/sampling_launch.h"
#include "remote/launch/scoring_launch.h"
#include "remote/service/launch_service.h"
#include "ui/link/prompts.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace dailies::ui {

enum class ConnectionState { Offline, Connecting, Connected, Reconnecting };

/// What the window shows of the connected cluster.
struct ClusterInfo {
    remote::ClusterProfile profile;
    remote::slurm::ClusterFacts facts;
    std::string workspace;
};

/// The one thread that talks to the cluster: it connects, follows the runs into the store, and does what the
/// pages ask in between. When the connection is lost it tries again by itself (1, 2, 4 … 60 s apart, ± a
/// quarter so that a room of desktops does not return at once). It also looks every second whether another
/// program changed the store.
///
/// It holds the store's lock. Where another desktop has it, or the file cannot be written, this program only
/// reads: the worker connects to nothing, and what others write is noticed as always.
///
/// All methods are for the GUI thread and return at once; all signals arrive on it.
class ClusterWorker : public QObject {
    Q_OBJECT

public:
    explicit ClusterWorker(std::filesystem::path storeFile, QObject* parent = nullptr);
    ~ClusterWorker() override;  ///< abandons what is under way and waits for the thread

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

    void connectTo(const remote::ClusterProfile& profile);
    /// Looks at all that is needed of a cluster, beside the connection in use: `found` for each thing, then
    /// `tested`.
    void test(const remote::ClusterProfile& profile);
    void goOffline();  ///< a person wants it: `left`
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
    /// Gives runs' clips to a scorer, in the same way.
    void score(const remote::ScoringRequest& request);
    /// `endSweeps`: a sweep all of whose active runs are among them proposes no more.
    void cancelRuns(const std::vector<std::string>& runIds, bool endSweeps = false);
    /// Lets a run that has ended train on to that many steps: `extended`, or `failed`.
    void extendRun(const std::string& runId, std::int64_t steps);
    /// Brings the desktop's copy of an attempt's log up to date ("" = the newest attempt): `logMirrored`, or
    /// `logUnavailable`.
    void mirrorLog(const std::string& runId, const std::string& job);
    /// Copies the run's checkpoints to the desktop: `progress` lines, then `checkpointsPulled`, or `failed`.
    void pullCheckpoints(const std::string& runId);
    /// Brings the weights of the run's checkpoint of that step into a folder, as safetensors: `progress`
    /// lines, then `checkpointExported`, or `failed`.
    void exportCheckpoint(const std::string& runId, std::int64_t step, const std::filesystem::path& folder);
    /// Measures the nodes of the cluster's partition in a job of its own: `progress` lines, then
    /// `nodesChecked`, or `failed`. While it waits for the queue the runs are not followed.
    void checkNodes(const remote::PreflightRequest& request = {});
    /// Brings the desktop's copies of all preflights up to date, those of runs included: `nodesChecked`.
    void mirrorPreflights();
    /// Fetches the mirrored clip whose file this is, ahead of everything else: `clipPartFetched` while it
    /// comes, then `clipFetchFinished`.
    void fetchClip(const std::string& file);
    /// Looks for sweeps in the workspace that another store launched: `untrackedFound`, or `failed`.
    void findUntracked();
    /// Records these, and follows them from then on: `adopted`, or `failed`.
    void adopt(const std::vector<remote::UntrackedSweep>& sweeps);
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

    /// Stops the connecting or launching that is under way.
    void stopWork();

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
    void failed(const dailies::Error& error);

private:
    using Clock = std::chrono::steady_clock;
    using Request = std::function<void(std::stop_token)>;
    using Progress = std::function<void(const std::string&)>;
    struct Sent {
        QString notification;
        std::vector<std::string> runIds;
    };
    Sent sentOf(const remote::Launched& launched);
    static Sent sentOf(const QString& notification, const std::vector<tracking::Run>& runs);

    void enqueue(Request request);
    void enqueueFirst(Request request);  ///< the fetching of all that waits makes way for it, too
    /// `work` sends runs to the cluster with a trainer there: `launched`, `launchFailed` or `launchStopped`.
    void send(std::function<Sent(remote::Cluster&, const Progress&, std::stop_token)> work);
    void post(std::function<void()> onGui);
    void reportProgress(const std::string& line);

    // -- the worker thread
    void work(std::stop_token stop);
    void openStore();
    void requireWritable() const;
    void serve(const Request& request);
    void open(const remote::ClusterProfile& profile, bool again, std::stop_token stop);
    void closeLink();
    void reconnect(std::stop_token stop);
    void follow(std::stop_token stop);
    void fetchMore(std::stop_token stop);
    void notifyRunsChanged(
        const std::set<std::string>& changedRuns);  ///< what this thread itself wrote of them
    void bringClip(const std::string& file, std::stop_token stop);
    void pollClusterView(std::stop_token stop);
    void lost();
    void detectStoreChanges();
    remote::Cluster& requireCluster();
    void enter(ConnectionState state);

    // GUI thread
    ConnectionState m_state = ConnectionState::Offline;
    std::string m_clusterName;
    std::optional<ClusterInfo> m_info;
    bool m_busy = false;
    std::string m_readOnly;
    Prompts m_prompts;

    // shared, under m_mutex
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Request> m_requests;
    std::stop_source m_current;                 ///< of the request being served
    bool m_interruptible = false;               ///< what is done now may be broken off and done later
    remote::ssh::Session* m_session = nullptr;  ///< to abort a blocked call at the end

    // worker thread
    const std::filesystem::path m_storeFile;
    std::optional<tracking::StoreLock> m_lock;
    std::optional<tracking::Store> m_store;
    std::string m_readOnlyReason;  ///< as `m_readOnly`
    std::optional<remote::ClusterProfile> m_profile;
    std::unique_ptr<remote::Cluster> m_cluster;
    std::unique_ptr<remote::Follower> m_follower;
    Clock::time_point m_nextPoll, m_nextAttempt;
    bool m_moreClips = false;  ///< wait to be fetched
    remote::PollRateLimiter m_rateLimiter;
    bool m_watched = false;
    Clock::time_point m_nextLook, m_nextNodes, m_nextKeep;
    std::vector<remote::slurm::Node> m_nodes;  ///< as last asked for: they change slowly
    int m_failures = 0;
    std::int64_t m_seenVersion = 0;

    std::jthread m_thread;  ///< last: it uses everything above
};

}  // namespace dailies::ui

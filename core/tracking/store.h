#pragma once

#include "core/base/json.h"
#include "core/events/event.h"
#include "core/tracking/curve.h"
#include "core/tracking/keyed_values.h"
#include "core/tracking/metric_point.h"
#include "core/tracking/source_findings.h"
#include "core/tracking/store_read_only_error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::tracking {

enum class RunStatus { Scheduled, Running, Finished, Failed, Killed };  ///< MLflow's five
std::string_view toText(RunStatus status);                              ///< "SCHEDULED", "RUNNING", …
inline bool isActive(RunStatus s) {
    return s == RunStatus::Scheduled || s == RunStatus::Running;
}

struct Experiment {
    std::int64_t id = 0;
    std::string name;
    std::int64_t createdMs = 0;
};

struct Run {
    std::string id;  ///< 32 lower-case hex: MLflow's run_uuid and the folder name on the cluster
    std::string name;
    std::int64_t experimentId = 0;
    std::string experiment;
    RunStatus status = RunStatus::Scheduled;
    std::int64_t startMs = 0;
    std::optional<std::int64_t> endMs;
    std::int64_t pausedMs = 0;  ///< of the time between the two: between its attempts; see run_time.h
    std::optional<std::int64_t> pausedSinceMs;  ///< of one that waits to go on: when its last attempt ended
    bool deleted = false;
    std::string user;         ///< who started it; the store sets it when it creates the run
    std::string artifactUri;  ///< where MLflow looks for its files; the store's too; empty = nowhere
    KeyedValues<std::string> params;
    KeyedValues<MetricPoint> metrics;  ///< the latest of each
    KeyedValues<std::string> tags;     ///< see tag names below
};

/// Points by metric key.
using MetricHistories = std::map<std::string, std::vector<MetricPoint>>;

/// What importing a run did to the store.
struct ImportedRun {
    bool isNew = false;
    bool changed = false;  ///< a run that was there has more points, params or tags now, or another end
    std::int64_t pointsAdded = 0;
};

/// Tags that Dailies sets on runs, beside MLflow's own.
namespace tag {
inline constexpr const char* kSweep = "dailies.sweep";  ///< sweep id
inline constexpr const char* kSweepName = "dailies.sweep_name";
inline constexpr const char* kTask =
    "dailies.task";  ///< index of the run in its sweep and job array: 0, 1, …
inline constexpr const char* kCluster = "dailies.cluster";  ///< profile name
inline constexpr const char* kJob = "dailies.job";          ///< newest "<jobid>" or "<arrayjobid>_<task>"
inline constexpr const char* kSlurmState = "dailies.slurm_state";  ///< Slurm's own word: PENDING, TIMEOUT, …
inline constexpr const char* kReason = "dailies.reason";  ///< why it waits or why it ended, for a person
inline constexpr const char* kFolder = "dailies.folder";  ///< run directory on the cluster
inline constexpr const char* kDrawn = "dailies.drawn";    ///< what its sweep gave it: {"optimizer.lr":0.01}
inline constexpr const char* kProgram =
    "dailies.program";  ///< what it executes, where that is not dailies-train: "train.py"
inline constexpr const char* kCode =
    "dailies.code";  ///< the folder of the cluster in which such a program is started
inline constexpr const char* kSourceRules =
    "dailies.source_rules";  ///< where such a program's metrics and clips are found: see rules/source_rules.h
inline constexpr const char* kProposal =
    "dailies.proposal";  ///< of a run that followed from the results of others: why, for a person
inline constexpr const char* kSubmission =
    "dailies.submission";  ///< such a run's own job comment: "<sweep id>.<task>"
inline constexpr const char* kStoppedRung =
    "dailies.stopped_rung";  ///< the step at which early stopping judged it
inline constexpr const char* kStoppedWhy =
    "dailies.stopped_why";  ///< "Stopped early at step 400: …": decided, and from then on carried out
inline constexpr const char* kRefused =
    "dailies.refused";  ///< of a run that its sweep decided on and that was never submitted: what it lacked
inline constexpr const char* kCancelled =
    "dailies.cancelled";  ///< when a person cancelled it (unix ms): recorded, and then carried out
inline constexpr const char* kSweepCancelled =
    "dailies.sweep_cancelled";  ///< on a sweep's first run: no further run is to be proposed
inline constexpr const char* kExtendedTo =
    "dailies.extended_to";  ///< the step up to which a person let it train on; its param steps says so, too
inline constexpr const char* kExtendedAfter =
    "dailies.extended_after";  ///< its last job before that: what that one left says nothing of the run's end
inline constexpr const char* kTrainer =
    "dailies.trainer";  ///< version of dailies-train, from the start event
inline constexpr const char* kCertificate =
    "dailies.certificate";  ///< of its newest attempt on several ranks: "proven" or "refused"
inline constexpr const char* kCertificateFacts =
    "dailies.certificate_facts";                       ///< all of it: JSON, see events/certificate.h
inline constexpr const char* kFact = "dailies.fact.";  ///< prefix: the start event's facts, one tag each
}  // namespace tag

struct SweepRecord {
    std::string id;
    std::string name;
    std::string cluster;
    std::int64_t experimentId = 0;
    std::string yaml;    ///< the sweep file
    std::string script;  ///< the sbatch script that was sent
    std::string jobId;   ///< of the array; empty while the submission is not known to have happened
    std::int64_t createdMs = 0;
};

/// One Slurm job (or array task) that executed a run. Keyed by (runId, job, restarts).
struct Attempt {
    std::string runId;
    std::string job;            ///< "<jobid>" or "<arrayjobid>_<task>"
    std::int64_t restarts = 0;  ///< SLURM_RESTART_COUNT
    std::string state;          ///< Slurm's word, or "LOST"
    std::string reason;         ///< Slurm's pending or end reason
    std::string exitCode;       ///< "code:signal", empty while unknown
    std::string node;
    std::int64_t startMs = 0;
    std::int64_t endMs = 0;  ///< 0 while it goes on
};

struct ClipRecord {
    std::string runId;
    std::int64_t step = 0;
    std::string prompt;
    std::int64_t seed = 0;
    std::string path;  ///< relative to the run directory
    int frames = 0, height = 0, width = 0;
    double fps = 0;
    std::optional<double> adherence;
    /// Absolute path of the mirrored file; empty until it has come. The file may have been let go since, to
    /// make room for others: it is not there then, and comes again when somebody opens it.
    std::string localPath;
};

/// Something that an automatic check found in a clip; what the checks are says core/quality.
struct ClipFinding {
    std::string runId = {};
    std::string path = {};   ///< of the clip, relative to the run directory
    std::string check = {};  ///< "frozen", "black", …
    int severity = 1;        ///< 1: worth a look; 2: nothing worth judging
    int firstFrame = 0;      ///< 0-based
    int lastFrame = 0;       ///< inclusive
    std::string text = {};   ///< a sentence for a person
};

/// A clip that another one was made from: the reference picture of an animated character, its poses, …
struct ClipInput {
    std::string runId = {};
    std::string clip = {};       ///< the path of the one that was made
    std::string name = {};       ///< "reference", "poses", …
    std::string path = {};       ///< of this one, relative to the run directory
    std::string localPath = {};  ///< as ClipRecord has it
};

/// What is known of each frame of a clip.
struct ClipCurve {
    std::string runId = {};
    std::string clip = {};  ///< path
    std::string name = {};  ///< "pose_error"
    std::vector<double> values = {};
};

/// What a scorer said of a clip (dailies-train score).
struct ClipScore {
    std::string runId;
    std::int64_t step = 0;
    std::string path;             ///< of the clip; empty: of all the clips of the step together
    std::string metric;           ///< "score/aesthetic"; the run's metric of that name is the mean of a step
    std::optional<double> value;  ///< nullopt: the scorer could not say
    std::string problem;          ///< why, for a person
};

/// A clip with all that the checks of this revision found in it.
struct CheckedClip {
    std::string runId;
    std::string path;
    std::string localPath;  ///< the file that was checked
    int revision = 0;
    std::vector<ClipFinding> findings;  ///< their runId and path are not looked at
};

struct CheckpointRecord {
    std::string runId;
    std::int64_t step = 0;
    std::string path;
    std::int64_t bytes = 0;
};

/// An attempt that took a run up again: its curves go on from here.
struct Restart {
    std::int64_t attempt = 0;   ///< 2, 3, …
    std::int64_t fromStep = 0;  ///< the checkpoint's step; 0 when it began anew
    std::int64_t timeMs = 0;
};

/// An arrangement of the runs room that a person saved under a name.
struct SavedView {
    std::string name;
    Json content;  ///< whatever the saving page put there
    std::int64_t changedMs = 0;
};

/// What a permanent deletion took away.
struct PurgeResult {
    std::int64_t runs = 0;
    std::int64_t points = 0;
    std::int64_t bytes = 0;  ///< by which the store and its mirrored files became smaller
};

struct RunMessage {  ///< health, message and end events, newest last
    std::string runId;
    std::int64_t timeMs = 0;
    std::string level;  ///< "info", "warning", "error"
    std::string text;
};

/// How far a remote file has been read. Commits together with what was read from it.
struct IngestState {
    std::int64_t offset = 0;  ///< bytes of events.jsonl consumed
    std::int64_t lastSeq =
        0;  ///< highest seq ingested; lines at or below it are skipped, so a re-read doubles nothing
};

class Database;

/// The tracking store: an MLflow SQLite database (created at schema revision 6953534de441, MLflow 3.0; files
/// of every revision up to MLflow 3.17 are read and written as they are) with tables of Dailies' own prefixed
/// `dailies_`, which genuine MLflow does not mind. WAL journal. A Store belongs to one thread; several Stores
/// may open one file (readers never wait for the writer, writers queue for up to 20 s), and so may MLflow.
/// Every public write is one transaction: all of it or nothing, also after kill -9. Throws `Error` with the
/// file's name: not a database, disk full, locked; `StoreReadOnlyError` where it could be opened for reading.
class Store {
public:
    enum class Mode { ReadWrite, ReadOnly };

    /// Opens the file. ReadWrite creates it (and its folder) when absent, adds Dailies' tables to a file of
    /// MLflow's own (its tables stay as they are), and brings older `dailies_` tables up to date after a
    /// backup `FILE.before-v<N>`; it refuses a file of a newer MLflow or Dailies with `StoreReadOnlyError`.
    /// ReadOnly never changes the file: what it lacks for curves is kept in the user's cache folder.
    explicit Store(const std::filesystem::path& file, Mode mode = Mode::ReadWrite);
    ~Store();
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;

    const std::filesystem::path& file() const;

    /// Grows with every commit by any connection or process; compare to see whether anything may have
    /// changed. Cheap.
    std::int64_t dataVersion() const;
    /// The same, of the commits by others alone: what this one wrote, its owner knows.
    std::int64_t othersVersion() const;

    /// The connection, for libraries of core that keep tables of their own in the file (core/judging); nobody
    /// above core uses it. It has those tables from version `sinceVersion` of the `dailies_` tables on.
    Database& database() const;
    bool hasSchemaVersion(int sinceVersion) const;

    // -- experiments
    std::int64_t ensureExperiment(const std::string& name);
    std::vector<Experiment> experiments() const;

    // -- runs
    /// Creates the run with its params and tags (plus mlflow.runName, mlflow.user, mlflow.source.*). A run
    /// whose id exists already is left as it is.
    void createRun(const Run& run);
    /// Sweep and runs in one transaction: the record that makes a submission exactly-once.
    void createSweep(const SweepRecord& sweep, const std::vector<Run>& runs);
    void setSweepJob(const std::string& sweepId, const std::string& jobId);
    void setSweepScript(const std::string& sweepId, const std::string& script);
    std::vector<SweepRecord> sweeps() const;  ///< newest first
    std::optional<SweepRecord> sweep(const std::string& sweepId) const;

    /// All runs that are not deleted, newest first; `experiment` empty = all. Params, tags and latest metrics
    /// included.
    std::vector<Run> runs(const std::string& experiment = {}) const;
    /// Those of these runs that exist, deleted ones too, newest first: for following a few among many.
    std::vector<Run> runs(const std::vector<std::string>& runIds) const;
    std::vector<Run> activeRuns() const;   ///< as `runs`, those scheduled or running
    std::vector<Run> deletedRuns() const;  ///< as `runs`, those that deleteRuns took away
    std::optional<Run> run(const std::string& runId) const;
    /// Ids that begin with `prefix`, or the runs of that name: what a person types on a command line.
    std::vector<std::string> findRuns(const std::string& idPrefixOrName) const;

    void setStart(const std::string& runId, std::int64_t startMs);
    void setStatus(const std::string& runId, RunStatus status,
                   std::optional<std::int64_t> endMs = std::nullopt);
    /// The run goes on to this step: what its config says from now on, so its param says it, too, for
    /// MLflow's own pages as well.
    void setExtendedTo(const std::string& runId, std::int64_t steps);
    void setTag(const std::string& runId, const std::string& key, const std::string& value);
    void setTags(const std::vector<std::string>& runIds, const std::string& key, const std::string& value);
    /// Runs without the tag stay as they are.
    void removeTag(const std::vector<std::string>& runIds, const std::string& key);

    /// Takes the runs out of every list (MLflow's lifecycle_stage deleted, which its own pages show as
    /// deleted too). Everything is kept until `purgeRuns`; `restoreRuns` brings it back.
    void deleteRuns(const std::vector<std::string>& runIds);
    void restoreRuns(const std::vector<std::string>& runIds);
    /// Removes deleted runs for ever: their rows in all tables and their mirrored files (artifactRoot), and
    /// gives the disk space back. What foreign programs keep elsewhere (an artifact_uri of MLflow's own)
    /// stays. Refuses everything when one of the runs is not deleted. When it fails nothing is lost: files
    /// are put aside first and come back. A pass over the whole file when it was made by others; minutes if
    /// it is large.
    PurgeResult purgeRuns(const std::vector<std::string>& runIds);

    // -- saved views; `experiment` empty = those of all experiments together
    std::vector<SavedView> views(const std::string& experiment = {}) const;  ///< by name
    void putView(const std::string& experiment, const std::string& name, const Json& content);
    void deleteView(const std::string& experiment, const std::string& name);

    // -- metrics
    std::vector<std::string> metricKeys(const std::vector<std::string>& runIds) const;
    std::vector<MetricPoint> history(const std::string& runId,
                                     const std::string& key) const;  ///< by step, then time

    /// The curves as a picture needs them, parallel to `keys`: the points themselves when there are at most
    /// `atMost` (≥ 1) in `steps`, else so many buckets of equally many points, which hold every extreme. A
    /// range also brings the nearest bucket outside of it on each side (beyond `atMost`), so that lines leave
    /// the picture where they should. The same zoom gives the same buckets however far a curve has grown.
    std::vector<Curve> curves(const std::vector<CurveKey>& keys, std::optional<StepRange> steps,
                              int atMost) const;
    /// Curves are read from a copy of the points beside MLflow's table. `curves` and `ingest` complete it by
    /// themselves after other programs wrote; for a file that never was in Dailies that takes a second per
    /// million points, once. Call this first to show how far it is (rows done, of rows) and to be able to
    /// stop
    /// (`Cancelled`); the next call goes on where it stopped.
    void prepareCurves(std::stop_token stop = {},
                       const std::function<void(std::int64_t, std::int64_t)>& progress = {}) const;

    /// Hands over every point of the run by key, step, time; nothing is kept in memory beyond one
    /// curve. In a file that Dailies has not written SQLite sorts the run's points first.
    void forEachPoint(const std::string& runId,
                      const std::function<void(const std::string& key, const MetricPoint&)>& take) const;

    // -- ingestion
    /// Adds a run of another tracker with its points, or what it has more than when it was last imported:
    /// points, params and tags whose keys are new, a later end. What is here already stays, so importing
    /// again adds nothing twice and undoes nothing that people did. The experiment is found by its name.
    ImportedRun importRun(const Run& run, const MetricHistories& histories);
    IngestState ingestState(const std::string& runId) const;
    /// Applies events to the run and moves the offset, in one transaction: metrics (+ latest_metrics), clips,
    /// checkpoints, messages, status (start → RUNNING, end → FINISHED / FAILED / KILLED). `resume` first
    /// removes points, clips and checkpoints above from_step that earlier attempts wrote; an attempt that
    /// logs without having resumed began anew and removes them all. Points that others logged to the run
    /// stay. Events with seq ≤ lastSeq are skipped.
    void ingest(const std::string& runId, const std::vector<events::Event>& events, std::int64_t newOffset);

    // -- files of foreign programs (core/sources)
    /// How far each file of the run has been read, by its path; empty where the tables are older.
    std::map<std::string, SourceCursor> sourceCursors(const std::string& runId) const;
    /// Applies what one reading of a file found and moves the file's cursor, in one transaction: points (+
    /// latest_metrics), params that the run lacks, tags but Dailies' own, problems and the end as messages.
    /// False, and nothing is written, when the file's cursor is no longer at `batch.from`: another program
    /// that follows the run was faster, or this batch was applied before; go on from `sourceCursors`. Where a
    /// later attempt (`batch.next.attempt`) begins a metric, points of that metric at or above the step are
    /// void, in whichever file they were; files are to be read in the order of their attempts. A run takes at
    /// most 10,000 metrics and as many params, tags and clips from files; that there are more is told once.
    /// Videos among the media become clips. The run's status stays: the scheduler has it.
    bool ingestSource(const std::string& runId, const SourceBatch& batch);

    // -- attempts, clips, checkpoints, messages
    void putAttempt(const Attempt& attempt);  ///< insert or update by its key
    std::vector<Attempt> attempts(const std::string& runId) const;
    std::vector<Restart> restarts(const std::string& runId) const;  ///< by attempt
    std::vector<ClipRecord> clips(
        const std::vector<std::string>& runIds) const;  ///< by run, step, prompt, seed
    /// Those whose localPath is empty, newest step first: clips, and what they were made from (without
    /// facts).
    std::vector<ClipRecord> clipsToFetch(const std::string& cluster) const;
    /// The same of one run.
    std::vector<ClipRecord> clipsWithoutFile(const std::string& runId) const;
    std::vector<ClipInput> clipInputs(const std::vector<std::string>& runIds) const;  ///< by run, clip, name
    std::vector<ClipCurve> clipCurves(const std::vector<std::string>& runIds) const;  ///< likewise
    /// Of a clip, or of one that others were made from.
    void setClipLocalPath(const std::string& runId, const std::string& path, const std::string& localPath);
    /// Of a clip whose program told nothing of it: what its file says.
    void setClipFacts(const ClipRecord& clip);

    // -- automatic checks of clips
    /// Clips that are here and were not checked by these checks or newer ones, those of the newest run first.
    std::vector<ClipRecord> clipsToCheck(int revision, int atMost) const;
    /// Takes the place of what was found before. A clip that is no longer the one that was checked is passed
    /// over.
    void putFindings(const std::vector<CheckedClip>& clips);
    std::vector<ClipFinding> findings(
        const std::vector<std::string>& runIds) const;  ///< the worst first, then by run, newest step first

    /// What scorers said of the clips of these runs, by run, step, path and metric.
    std::vector<ClipScore> scores(const std::vector<std::string>& runIds) const;

    std::vector<CheckpointRecord> checkpoints(const std::string& runId) const;
    void addMessage(const RunMessage& message);
    std::vector<RunMessage> messages(const std::string& runId) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace dailies::tracking

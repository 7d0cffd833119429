#pragma once

#include "core/rules/clip_pattern.h"
#include "core/rules/output_rule.h"
#include "core/tracking/store.h"
#include "remote/follow/attempts_file.h"
#include "remote/follow/source_reader.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::sources {
class Source;
}

namespace dailies::remote {

/// Reads what programs of the user's own write into their runs' folders, whichever tracker they use, and
/// brings it into the store, exactly once; their videos become clips, once they grow no more, or are unpacked
/// where they lie inside a tracker's file. A run whose
/// program uses a tracker is not read by its output: the same metrics would stand there twice. Where the
/// run's record holds rules of its user (tag::kSourceRules), its output is read by them, whatever else there
/// is.
class SourceFollower {
public:
    /// The store must outlive it; one thread. Videos that lie inside trackers' files are kept in `mirror`,
    /// the folder for mirrored files; empty: they are left out.
    SourceFollower(FileReader read, tracking::Store& store, std::filesystem::path mirror = {})
        : m_read(std::move(read)), m_store(store), m_mirror(std::move(mirror)) {}

    /// What a round of reading did.
    struct Report {
        std::set<std::string> changedRuns;  ///< something is new in the store
        std::set<std::string> movedRuns;  ///< something was read: there may be more to come of what is there
    };
    /// A run's folder where it is not the run's own below the workspace (see ReadFiles).
    struct Place {
        std::string folder, prefix;
    };
    /// Reads until nothing is left of these runs' files: one call of the reader, and a further one only where
    /// there is more than one call brings. By run id, with the attempts that the job script marked.
    Report poll(const std::map<std::string, std::vector<AttemptRecord>>& runs,
                const std::map<std::string, Place>& places = {}, std::stop_token stop = {});

    /// The run's metrics come from its events.jsonl: its output would say them again. True when something of
    /// the output was taken back.
    bool leaveOutput(const std::string& runId);

    /// Forgets what it holds of a run that is followed no more.
    void forget(const std::string& runId) { m_runs.erase(runId); }

private:
    struct Followed {
        std::string folder;                                     ///< the run's own, absolute, there
        std::map<std::string, tracking::SourceCursor> cursors;  ///< by path; as the store has them
        std::set<std::string> foreign;                          ///< files that are no source's
        std::map<std::string, std::int64_t> growing;            ///< sizes of videos that may be written still
        bool isTracked = false;                                 ///< a tracker gave metrics
        std::optional<rules::OutputRule> outputRule;   ///< of the user; these metrics are wanted anyway
        std::vector<rules::ClipPattern> clipPatterns;  ///< ″
    };
    struct Read;

    Followed& followed(const std::string& runId);
    bool wasTracked(const std::string& runId,
                    const std::map<std::string, tracking::SourceCursor>& cursors) const;
    bool takeClip(Followed& run, const FileUpdate& file, std::int64_t attempt);
    bool ingest(const std::string& runId, Followed& run, std::vector<Read>&& files);
    static bool isLeftOut(const Followed& run, const sources::Source& source);
    bool stopOutput(const std::string& runId, Followed& run);
    void unpackVideos(const std::string& runId, std::vector<tracking::SourceMedia>& media);
    void showVideos(const std::string& runId);

    FileReader m_read;
    tracking::Store& m_store;
    std::filesystem::path m_mirror;
    std::map<std::string, Followed> m_runs;
};

}  // namespace dailies::remote

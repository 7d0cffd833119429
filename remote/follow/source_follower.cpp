#include "remote/follow/source_follower.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/rules/source_rules.h"
#include "core/sources/clip_name.h"
#include "core/sources/registry.h"
#include "core/sources/source.h"
#include "core/tracking/clip_path.h"
#include "core/tracking/run_tags.h"
#include "remote/follow/clip_facts.h"
#include "remote/follow/clip_mirror.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace dailies::remote {

namespace {

/// Which attempt wrote the file last: the newest that had begun by then.
std::int64_t attemptAt(std::int64_t modifiedMs, const std::vector<AttemptRecord>& attempts) {
    std::int64_t number = 1;
    for (std::size_t i = 1; i < attempts.size(); ++i)
        if (attempts[i].startTime * 1000 <= modifiedMs) number = static_cast<std::int64_t>(i) + 1;
    return number;
}

/// `media`: as the tracker's file names it.
std::string besideTracker(const sources::Source& source, const std::string& file, const std::string& media) {
    const auto slash = file.rfind('/');
    const std::string path = (slash == std::string::npos ? std::string() : file.substr(0, slash + 1)) +
                             std::string(source.mediaFolder()) + media;
    return media.starts_with("..") ? std::filesystem::path(path).lexically_normal().string() : path;
}

/// A param that names the run's own folder would differ in every run of a sweep, and tell nothing apart.
void withoutFolder(std::string& value, const std::string& folder) {
    constexpr std::string_view kRunFolder = "${run_dir}";
    if (folder.empty()) return;
    for (auto at = value.find(folder); at != std::string::npos;
         at = value.find(folder, at + kRunFolder.size()))
        value.replace(at, folder.size(), kRunFolder);
}

bool isOutput(const sources::Source& source) {
    return &source == &sources::programOutput();
}

/// Trackers first, and last what only repeats what the output says, too.
int rankOf(const sources::Source& source) {
    return !source.givesWay() ? 0 : isOutput(source) ? 1 : 2;
}

bool isUnpacked(const std::string& path) {
    const std::string folder(sources::tensorBoard().mediaFolder());
    return path.starts_with(folder) || path.find("/" + folder) != std::string::npos;
}

}  // namespace

struct SourceFollower::Read {
    const sources::Source* source = nullptr;
    tracking::SourceBatch batch;
};

SourceFollower::Followed& SourceFollower::followed(const std::string& runId) {
    const auto [at, isNew] = m_runs.try_emplace(runId);
    if (!isNew) return at->second;
    Followed& run = at->second;
    run.cursors = m_store.sourceCursors(runId);
    run.isTracked = wasTracked(runId, run.cursors);
    if (const auto record = m_store.run(runId)) {
        run.folder = tagOf(*record, tracking::tag::kFolder);
        const auto said = rules::fromText(tracking::tagOf(*record, tracking::tag::kSourceRules));
        if (!said.output.empty()) run.outputRule.emplace(said.output);
        for (const auto& pattern : said.clips) run.clipPatterns.emplace_back(pattern);
    }
    showVideos(runId);  // unless it was killed before, they are shown already
    return run;
}

/// From what the store has: with a tracker's first metrics every file of output is stopped, before they are
/// taken. Where no output was read, what metrics there are came from a tracker.
bool SourceFollower::wasTracked(const std::string& runId,
                                const std::map<std::string, tracking::SourceCursor>& cursors) const {
    bool hasOutput = false, hasTracker = false;
    for (const auto& [path, cursor] : cursors) {
        const auto* source = sources::sourceOf(path);
        if (!source || (source->givesWay() && !isOutput(*source))) continue;
        if (isOutput(*source) && !cursor.stopped) return false;
        (isOutput(*source) ? hasOutput : hasTracker) = true;
    }
    if (hasOutput) return true;
    if (!hasTracker && m_store.ingestState(runId).offset == 0) return false;
    const auto run = m_store.run(runId);
    return run && !run->metrics.empty();
}

SourceFollower::Report SourceFollower::poll(const std::map<std::string, std::vector<AttemptRecord>>& runs,
                                            const std::map<std::string, Place>& places,
                                            std::stop_token stop) {
    constexpr std::int64_t kPassedOver = -1;
    Report report;
    std::vector<ReadFiles> wanted;
    for (const auto& [runId, attempts] : runs)
        if (!attempts.empty()) wanted.push_back({.runId = runId});
    for (ReadFiles& run : wanted)
        if (const auto at = places.find(run.runId); at != places.end())
            run.folder = at->second.folder, run.prefix = at->second.prefix;
    while (!wanted.empty()) {
        if (stop.stop_requested()) throw Cancelled();
        for (ReadFiles& run : wanted) {
            const Followed& known = followed(run.runId);
            run.offsets.clear();
            for (const auto& [path, cursor] : known.cursors)
                run.offsets[path] = cursor.stopped ? kPassedOver : cursor.offset;
            for (const auto& path : known.foreign) run.offsets[path] = kPassedOver;
        }
        std::map<std::string, std::vector<Read>> read;
        std::set<std::string> more, starved;  // cut off by a file's share, and by that of all
        bool hasBytes = false;
        for (FileUpdate& file : m_read(wanted, Bring::Bytes, stop)) {
            Followed& run = followed(file.runId);
            const auto attempt = attemptAt(file.modifiedMs, runs.at(file.runId));
            if (tracking::isClipPath(file.path)) {
                if (!tracking::isInInputFolder(file.path) && takeClip(run, file, attempt))
                    report.changedRuns.insert(file.runId);
                report.movedRuns.insert(file.runId);
                continue;
            }
            const auto* source = sources::sourceOf(file.path);
            if (!source) {
                run.foreign.insert(file.path);
                continue;
            }
            const auto from = run.cursors[file.path];
            const auto sent = from.offset + static_cast<std::int64_t>(file.bytes.size());
            hasBytes = hasBytes || !file.bytes.empty();
            if (sent < file.size) (file.bytes.empty() ? starved : more).insert(file.runId);
            auto [findings, next] = source->read({.path = file.path,
                                                  .bytes = file.bytes,
                                                  .head = file.head,
                                                  .fileSize = file.size,
                                                  .readMs = unixMillis(),
                                                  .outputRule = run.outputRule ? &*run.outputRule : nullptr},
                                                 from);
            next.attempt = std::max(from.attempt, attempt);
            for (auto [key, value] : findings.params) withoutFolder(value, run.folder);
            for (auto& media : findings.media) {
                media.path = besideTracker(*source, file.path, media.path);
                for (auto& [name, path] : media.inputs) path = besideTracker(*source, file.path, path);
            }
            unpackVideos(file.runId, findings.media);
            if (next == from && findings.isEmpty()) continue;
            read[file.runId].push_back(
                {source,
                 {std::string(source->name()), file.path, from, std::move(next), std::move(findings)}});
        }
        for (auto& [runId, files] : read)
            if (ingest(runId, followed(runId), std::move(files))) report.changedRuns.insert(runId);
        for (const auto& entry : read) report.movedRuns.insert(entry.first);
        if (hasBytes) more.merge(starved);
        std::erase_if(wanted, [&](const ReadFiles& run) { return !more.contains(run.runId); });
    }
    return report;
}

/// A video is whole when it has the same size twice.
bool SourceFollower::takeClip(Followed& run, const FileUpdate& file, std::int64_t attempt) {
    if (std::exchange(run.growing[file.path], file.size) != file.size || file.size == 0) return false;
    const auto name = sources::clipNameOf(file.path, run.clipPatterns);
    const auto from = run.cursors[file.path];
    tracking::SourceBatch batch{"Videos", file.path, from, {.offset = file.size, .attempt = attempt}, {}};
    batch.findings.media = {{.key = file.path,
                             .path = file.path,
                             .caption = name.prompt,
                             .type = "video-file",
                             .step = name.step,
                             .timestampMs = file.modifiedMs,
                             .seed = name.seed,
                             .byName = true}};
    if (!m_store.ingestSource(file.runId, batch)) {
        run.cursors = m_store.sourceCursors(file.runId);
        return false;
    }
    run.growing.erase(file.path);
    run.cursors[file.path] = batch.next;
    return true;
}

/// In the order of attempts, trackers before the output.
bool SourceFollower::ingest(const std::string& runId, Followed& run, std::vector<Read>&& files) {
    std::ranges::sort(files, {}, [](const Read& read) {
        return std::tuple(rankOf(*read.source), read.batch.next.attempt, read.batch.path);
    });
    bool changed = false;
    for (Read& read : files) {
        const bool hasMetrics = !read.batch.findings.metrics.empty();
        if (!read.source->givesWay() && hasMetrics && !run.isTracked) {
            run.isTracked = true;
            changed = stopOutput(runId, run) || changed;
        }
        if (isLeftOut(run, *read.source)) {
            read.batch.findings = {};
            read.batch.next.stopped = true;
        }
        if (m_store.ingestSource(runId, read.batch)) {
            run.cursors[read.batch.path] = read.batch.next;
            changed = changed || !read.batch.findings.isEmpty();
            if (!read.batch.findings.media.empty()) showVideos(runId);
        } else {
            run.cursors = m_store.sourceCursors(runId);  // another program follows this run, too
        }
    }
    return changed;
}

bool SourceFollower::leaveOutput(const std::string& runId) {
    Followed& run = followed(runId);
    if (std::exchange(run.isTracked, true)) return false;
    return stopOutput(runId, run);
}

bool SourceFollower::isLeftOut(const Followed& run, const sources::Source& source) {
    return run.isTracked && source.givesWay() && !(isOutput(source) && run.outputRule);
}

/// Before the store knows of them: what it says is here is here.
void SourceFollower::unpackVideos(const std::string& runId, std::vector<tracking::SourceMedia>& media) {
    std::erase_if(media, [&](const tracking::SourceMedia& video) {
        return !video.bytes.empty() && (m_mirror.empty() || !tracking::isClipPath(video.path));
    });
    for (auto& video : media) {
        if (video.bytes.empty()) continue;
        const auto file = mirroredPath(m_mirror, runId, video.path);
        std::filesystem::create_directories(file.parent_path());
        writeFileAtomically(file, std::exchange(video.bytes, {}));
    }
}

void SourceFollower::showVideos(const std::string& runId) {
    if (m_mirror.empty()) return;
    for (const tracking::ClipRecord& clip : m_store.clips({runId})) {
        if (!clip.localPath.empty() || !isUnpacked(clip.path)) continue;
        const auto file = std::filesystem::absolute(mirroredPath(m_mirror, runId, clip.path));
        if (!std::filesystem::exists(file)) continue;
        playFrom(m_store, clip, file);
    }
}

/// What the output told until the tracker's first metrics came is told by the tracker as well.
bool SourceFollower::stopOutput(const std::string& runId, Followed& run) {
    bool changed = false;
    for (auto& [path, cursor] : run.cursors) {
        const auto* source = sources::sourceOf(path);
        if (!source || !isLeftOut(run, *source) || cursor.stopped) continue;
        tracking::SourceBatch batch{std::string(source->name()), path, cursor, cursor, {}};
        batch.next.stopped = true;
        batch.findings.voidFrom = std::numeric_limits<std::int64_t>::min();
        if (m_store.ingestSource(runId, batch)) cursor = batch.next, changed = true;
    }
    return changed;
}

}  // namespace dailies::remote

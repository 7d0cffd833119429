#include "core/tracking/replace_clips.h"

#include "core/base/text.h"
#include "core/tracking/store_impl.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dailies::tracking {

namespace {

auto factsOf(const ClipRecord& clip) {
    return std::tie(clip.step, clip.prompt, clip.seed, clip.frames, clip.height, clip.width, clip.fps,
                    clip.localPath);
}

void removeClip(SQLite::Database& db, const std::string& runId, const std::string& path) {
    SQLite::Statement remove(db, "DELETE FROM dailies_clips WHERE run_uuid = ? AND path = ?");
    SQLite::bind(remove, runId, path);
    remove.exec();
    forgetChecks(db, runId, path);
    forgetClipInputs(db, runId, path);
}

}  // namespace

ReplacedClips replaceClips(Store& store, const std::string& runId, const std::vector<ClipRecord>& clips) {
    std::map<std::string, ClipRecord> former;
    for (auto& clip : store.clips({runId})) former.emplace(clip.path, clip);
    return store.database().write([&](SQLite::Database& db) {
        ReplacedClips result;
        SQLite::Statement insert(
            db,
            "INSERT INTO dailies_clips (run_uuid, path, step, prompt, seed, frames, height, width, fps, "
            "adherence, local_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)");
        for (ClipRecord clip : clips) {
            clip.prompt = sanitizedText(clip.prompt);
            const auto known = former.find(clip.path);
            const bool isNew = known == former.end();
            const bool isSame = !isNew && factsOf(known->second) == factsOf(clip);
            if (!isNew) former.erase(known);
            if (isSame) continue;
            if (!isNew) removeClip(db, runId, clip.path);
            ++(isNew ? result.added : result.changed);
            SQLite::bind(insert, runId, clip.path, clip.step, clip.prompt, clip.seed, clip.frames,
                         clip.height, clip.width, clip.fps, clip.localPath);
            insert.exec();
            insert.reset();
        }
        for (const auto& [path, clip] : former) {
            removeClip(db, runId, path);
            ++result.removed;
        }
        return result;
    });
}

}  // namespace dailies::tracking

#include "remote/cluster/clip_mirror.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/video/clip_file.h"
#include "remote/ssh/session_error.h"

#include <algorithm>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestClip = 512ull << 20;
/// A call's share, so that curves stay live while many clips arrive.
constexpr int kClipsPerCall = 32;
/// A shared file system may show a new file a few seconds after its event.
constexpr int kMissesAllowed = 3;
constexpr const char* kMissing = "it is missing on the cluster, or may not be read";

}  // namespace

fs::path mirroredPath(const fs::path& mirror, const std::string& runId, const std::string& path) {
    const fs::path relative(path);
    bool plain = isId(runId) && !path.empty() && path.size() < 1024 && relative.is_relative() &&
                 path.back() != '/' && std::none_of(path.begin(), path.end(), [](unsigned char c) {
                     return c < 0x20 || c == 0x7f || c == '\\';
                 });
    for (const fs::path& part : relative) plain = plain && part != ".." && part != ".";
    if (!plain) throw Error("'" + inertText(path) + "' is not a path inside a run.");
    return mirror / runId / relative;
}

ClipMirror::ClipMirror(Cluster& cluster, tracking::Store& store, fs::path mirror)
    : m_cluster(cluster), m_store(store), m_mirror(std::move(mirror)) {}

/// Those that the store lacks and that may be asked for. What an event says of a path is not trusted.
std::vector<ClipMirror::Wanted> ClipMirror::nextOnes(std::stop_token stop) {
    std::vector<Wanted> wanted;
    int tried = 0;
    for (tracking::ClipRecord& clip : m_store.clipsToFetch(m_cluster.profile().name)) {
        if (m_givenUp.contains({clip.runId, clip.path})) continue;
        if (stop.stop_requested()) throw Cancelled();
        if (tried++ == kClipsPerCall) break;
        try {
            if (!clip.path.starts_with("clips/"))
                throw Error("'" + inertText(clip.path) + "' is not below the run's clips folder.");
            auto local = mirroredPath(m_mirror, clip.runId, clip.path);
            auto remote = clip.runId + "/" + clip.path;
            wanted.push_back({std::move(clip), std::move(local), std::move(remote)});
        } catch (const Error& error) {
            giveUp(clip, error.what());
        }
    }
    return wanted;
}

std::map<std::string, int> ClipMirror::fetch(std::stop_token stop) {
    const auto wanted = nextOnes(stop);
    if (wanted.empty()) return {};
    const std::string runs = m_cluster.workspace() + "/runs";
    std::vector<std::string> names;
    for (const Wanted& one : wanted) names.push_back(one.remote);
    const auto there = m_cluster.session().statAll(runs, names, stop);
    std::vector<const Wanted*> asked;
    std::vector<ssh::BatchFile> files;
    for (const Wanted& one : wanted) {
        const auto at = there.find(one.remote);
        if (at == there.end() || !at->second.isFile) {
            missed(one.clip, kMissing);
        } else if (at->second.size > kLargestClip) {
            giveUp(one.clip, "it is larger than 512 MiB");
        } else {
            files.push_back({one.remote, one.local, at->second.size});
            asked.push_back(&one);
        }
    }
    const auto arrivals = m_cluster.session().downloadAll(runs, files, stop);
    std::map<std::string, int> arrived;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto& clip = asked[i]->clip;
        if (arrivals[i] == ssh::Arrival::Changed)
            missed(clip, "it was changed each time that it was copied");
        else if (arrivals[i] == ssh::Arrival::Missing)
            missed(clip, kMissing);
        else if (keep(*asked[i]))
            ++arrived[clip.runId];
    }
    return arrived;
}

void ClipMirror::missed(const tracking::ClipRecord& clip, const std::string& why) {
    if (++m_misses[{clip.runId, clip.path}] >= kMissesAllowed) giveUp(clip, why);
}

bool ClipMirror::keep(const Wanted& wanted) {
    try {
        video::ClipReader reader(wanted.local);
    } catch (const Error& error) {
        std::error_code failure;
        fs::remove(wanted.local, failure);
        giveUp(wanted.clip, error.what());
        return false;
    }
    m_store.setClipLocalPath(wanted.clip.runId, wanted.clip.path, fs::absolute(wanted.local).string());
    return true;
}

void ClipMirror::giveUp(const tracking::ClipRecord& clip, const std::string& why) {
    m_givenUp.insert({clip.runId, clip.path});
    const std::string text = "The clip " + inertText(clip.path) + " cannot be shown: " + why;
    // A later follower tries again; it need not say the same again.
    for (const tracking::RunMessage& message : m_store.messages(clip.runId))
        if (message.text == text) return;
    m_store.addMessage({clip.runId, unixMillis(), "warning", text});
}

}  // namespace dailies::remote

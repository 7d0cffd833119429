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

std::map<std::string, int> ClipMirror::fetch(std::stop_token stop) {
    std::map<std::string, int> arrived;
    int tried = 0;
    for (const tracking::ClipRecord& clip : m_store.clipsToFetch(m_cluster.profile().name)) {
        if (m_givenUp.contains({clip.runId, clip.path})) continue;
        if (stop.stop_requested()) throw Cancelled();
        if (tried++ == kClipsPerCall) break;
        if (fetchOne(clip, stop)) ++arrived[clip.runId];
    }
    return arrived;
}

bool ClipMirror::fetchOne(const tracking::ClipRecord& clip, std::stop_token stop) {
    try {
        if (!clip.path.starts_with("clips/"))
            throw Error("'" + inertText(clip.path) + "' is not below the run's clips folder.");
        const fs::path local = mirroredPath(m_mirror, clip.runId, clip.path);
        const std::string remote = m_cluster.runFolder(clip.runId) + "/" + clip.path;
        const auto stat = m_cluster.session().stat(remote);
        if (!stat || stat->isFolder) {
            if (++m_misses[{clip.runId, clip.path}] >= kMissesAllowed)
                giveUp(clip, "it is missing on the cluster");
            return false;
        }
        if (stat->size > kLargestClip) {
            giveUp(clip, "it is larger than 512 MiB");
            return false;
        }
        fs::create_directories(local.parent_path());
        m_cluster.session().download(remote, local, stop);
        try {
            video::ClipReader reader(local);
        } catch (const Error&) {
            fs::remove(local);
            throw;
        }
        m_store.setClipLocalPath(clip.runId, clip.path, fs::absolute(local).string());
        return true;
    } catch (const ssh::SessionError& error) {
        if (error.failure() != ssh::Failure::Remote) throw;
        giveUp(clip, error.what());
    } catch (const Error& error) {
        giveUp(clip, error.what());
    }
    return false;
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

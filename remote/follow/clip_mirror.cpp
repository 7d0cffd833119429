#include "remote/follow/clip_mirror.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/tracking/clip_path.h"
#include "core/video/clip_file.h"
#include "core/video/clip_head.h"
#include "core/video/clip_part.h"
#include "remote/follow/clip_facts.h"
#include "remote/ssh/session_error.h"
#include "remote/ssh/transfer.h"

#include <algorithm>
#include <bit>
#include <fstream>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestClip = 512ull << 20;
/// A call's share, so that curves stay live while many clips arrive.
constexpr std::size_t kClipsPerCall = 512;
constexpr std::size_t kHeadsPerCall = 1000;
constexpr std::uint64_t kBytesPerCall = 16u << 20;
/// Up to this size a clip's beginning is not worth a journey before the whole.
constexpr std::uint64_t kSmall = 256u << 10;
/// Where a clip's index mostly ends, and with it what is known of its first picture.
constexpr std::uint64_t kFirstLook = 32u << 10;
/// A first picture that needs more than this comes with the whole clip.
constexpr std::uint64_t kLargestHead = 4u << 20;
/// A shared file system may show a new file a few seconds after its event.
constexpr int kMissesAllowed = 3;
constexpr const char* kMissing = "it is missing on the cluster, or may not be read";

/// Where a download of this state of the remote file goes on.
fs::path partFile(const fs::path& whole, const ssh::FileStat& remote) {
    return whole.parent_path() / ssh::partialName(whole.filename().string(), remote);
}

/// Not through to the disk, as a thousand of them would take half a minute: what a fall of the power leaves
/// of one is found out by its hash when a download goes on with it.
void writeHead(const fs::path& part, const std::string& bytes) {
    fs::create_directories(part.parent_path());
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush())
        throw Error("Cannot write " + part.string() + ".", "Free some space, or make its folder writable.");
}

}  // namespace

fs::path mirroredPath(const fs::path& mirror, const std::string& runId, const std::string& path) {
    const fs::path relative(path);
    bool plain = isId(runId) && !path.empty() && path.size() < 1024 && relative.is_relative() &&
                 path.back() != '/' && path.find("//") == std::string::npos &&
                 std::none_of(path.begin(), path.end(),
                              [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; });
    for (const fs::path& part : relative) plain = plain && part != ".." && part != ".";
    if (!plain) throw Error("'" + sanitizedText(path) + "' is not a path inside a run.");
    return mirror / runId / relative;
}

ClipMirror::ClipMirror(Cluster& cluster, tracking::Store& store, fs::path mirror,
                       std::optional<MirrorLimits> limits)
    : m_cluster(cluster), m_store(store), m_mirror(std::move(mirror)), m_budget(store, m_mirror, limits) {}

/// What an event says of a path is not trusted.
ClipMirror::Wanted ClipMirror::wantedOf(tracking::ClipRecord clip) const {
    if (!tracking::isInputPath(clip.path))
        throw Error("'" + sanitizedText(clip.path) + "' is not the name of a clip in the run's folder.");
    auto local = mirroredPath(m_mirror, clip.runId, clip.path);
    auto remote = clip.runId + "/" + clip.path;
    return {.clip = std::move(clip), .local = std::move(local), .remote = std::move(remote)};
}

/// Those that the store lacks and that may be asked for, newest step first.
std::vector<ClipMirror::Wanted> ClipMirror::waiting(std::stop_token stop) {
    std::vector<Wanted> wanted;
    for (const tracking::ClipRecord& clip : m_store.clipsToFetch(m_cluster.profile().name)) {
        if (m_givenUp.contains({clip.runId, clip.path})) continue;
        if (stop.stop_requested()) throw Cancelled();
        try {
            wanted.push_back(wantedOf(clip));
        } catch (const Error& error) {
            giveUp(clip, error.what());
        }
    }
    return wanted;
}

/// Those of them that are there now, as they are now.
std::vector<ClipMirror::Wanted> ClipMirror::found(std::vector<Wanted> wanted, bool missingCounts,
                                                  std::stop_token stop) {
    std::vector<std::string> names;
    for (const Wanted& one : wanted) names.push_back(one.remote);
    const auto there = m_cluster.session().statAll(m_cluster.workspace() + "/runs", names, stop);
    std::vector<Wanted> found;
    for (Wanted& one : wanted) {
        const auto at = there.find(one.remote);
        if (at == there.end() || !at->second.isFile) {
            if (missingCounts) missed(one.clip, kMissing);
        } else if (at->second.size > kLargestClip) {
            giveUp(one.clip, "it is larger than 512 MiB");
        } else {
            one.stat = at->second;
            found.push_back(std::move(one));
        }
    }
    return found;
}

ClipMirror::FetchResult ClipMirror::fetch(std::stop_token stop) {
    FetchResult fetched;
    auto all = waiting(stop);
    if (all.empty()) return fetched;
    m_budget.refresh();
    std::vector<Wanted> fresh;
    for (const Wanted& one : all)
        if (fresh.size() < kHeadsPerCall && !m_headsDone.contains({one.clip.runId, one.clip.path}))
            fresh.push_back(one);
    if (!fresh.empty()) {
        for (const Wanted& one : fresh) m_headsDone.insert({one.clip.runId, one.clip.path});
        const auto there = found(std::move(fresh), false, stop);
        std::uint64_t bytes = 0;
        std::vector<const Wanted*> large;
        for (const Wanted& one : there) {
            bytes += one.stat.size;
            if (one.stat.size > kSmall) large.push_back(&one);
        }
        const bool readAhead = bytes > kBytesPerCall && readHeads(large, fetched, stop);
        const bool moreHeads = std::ranges::any_of(all, [&](const Wanted& one) {
            return !m_headsDone.contains({one.clip.runId, one.clip.path});
        });
        if (readAhead || moreHeads) {
            fetched.more = true;
            return fetched;
        }
    }
    fetched.more = all.size() > kClipsPerCall;
    all.resize(std::min(all.size(), kClipsPerCall));
    fetchWhole(found(std::move(all), true, stop), fetched, stop);
    return fetched;
}

/// Reads as much of the clips as their first pictures need. Whether any came.
bool ClipMirror::readHeads(const std::vector<const Wanted*>& clips, FetchResult& fetched,
                           std::stop_token stop) {
    // By how much is asked for: one journey for each power of two.
    std::map<std::uint64_t, std::vector<const Wanted*>> asked;
    for (const Wanted* one : clips) {
        std::error_code absent;
        if (!fs::exists(partFile(one->local, one->stat), absent)) asked[kFirstLook].push_back(one);
    }
    bool any = false;
    while (!asked.empty()) {
        const auto [bytes, group] = *asked.begin();
        asked.erase(asked.begin());
        std::vector<ssh::FolderEntry> files;
        for (const Wanted* one : group) files.push_back({one->remote, one->stat});
        const auto heads = m_cluster.session().readHeads(m_cluster.workspace() + "/runs", files, bytes, stop);
        for (const Wanted* one : group) {
            const auto head = heads.find(one->remote);
            if (head == heads.end()) continue;
            const auto part = partFile(one->local, one->stat);
            writeHead(part, head->second);
            const auto end = video::firstPictureEnd(part);
            if (end && *end <= head->second.size() && m_budget.makeRoom(*end)) {
                std::error_code longer;
                fs::resize_file(part, *end, longer);
                any = true;
                fetched.changedRuns.insert(one->clip.runId);
            } else {
                std::error_code gone;
                fs::remove(part, gone);
                if (end && *end > bytes && *end <= kLargestHead) asked[std::bit_ceil(*end)].push_back(one);
            }
        }
    }
    return any;
}

void ClipMirror::fetchWhole(std::vector<Wanted> clips, FetchResult& fetched, std::stop_token stop) {
    std::vector<const Wanted*> asked, without, refused;
    std::vector<ssh::BatchFile> files;
    std::uint64_t bytes = 0;
    for (const Wanted& one : clips) {
        if (bytes >= kBytesPerCall) {
            fetched.more = true;
            break;
        }
        if (m_budget.makeRoom(one.stat.size, one.stat.modified)) {
            files.push_back({one.remote, one.local, one.stat.size});
            asked.push_back(&one);
            bytes += one.stat.size;
        } else {
            refused.push_back(&one);
            if (!video::partOf(one.local)) without.push_back(&one);
        }
    }
    readHeads(without, fetched, stop);
    for (const Wanted* one : refused) {
        m_store.setClipLocalPath(one->clip.runId, one->clip.path, fs::absolute(one->local).string());
        fetched.changedRuns.insert(one->clip.runId);
    }
    const auto arrivals = m_cluster.session().downloadAll(m_cluster.workspace() + "/runs", files, stop);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto& clip = asked[i]->clip;
        try {
            if (arrivals[i] == ssh::TransferResult::Changed) {
                missed(clip, "it kept changing while it was being copied");
            } else if (arrivals[i] == ssh::TransferResult::Missing) {
                missed(clip, kMissing);
            } else {
                keep(*asked[i]);
                ++fetched.clips[clip.runId];
                fetched.changedRuns.insert(clip.runId);
            }
        } catch (const Error& error) {
            giveUp(clip, error.what());
        }
    }
}

/// The clip of that path, or the one that others were made from.
std::optional<tracking::ClipRecord> ClipMirror::recorded(const std::string& runId,
                                                         const std::string& path) const {
    const auto clips = m_store.clips({runId});
    if (const auto clip = std::ranges::find(clips, path, &tracking::ClipRecord::path); clip != clips.end())
        return *clip;
    const auto inputs = m_store.clipInputs({runId});
    const auto input = std::ranges::find(inputs, path, &tracking::ClipInput::path);
    if (input == inputs.end()) return std::nullopt;
    tracking::ClipRecord made;
    made.runId = runId;
    made.path = path;
    made.localPath = input->localPath;
    return made;
}

void ClipMirror::fetchOne(const std::string& runId, const std::string& path,
                          const ssh::Session::TransferProgress& progress, std::stop_token stop) {
    const auto clip = recorded(runId, path);
    if (!clip)
        throw Error("The run has no clip " + sanitizedText(path) + " any more.",
                    "A resumed run makes its clips again; reload the page.");
    auto there = found({wantedOf(*clip)}, false, stop);
    if (there.empty())
        throw Error(
            "The clip cannot be fetched: " + std::string(kMissing) + ", or it is larger than 512 MiB.",
            "Look at the run's folder on the Files page.");
    const Wanted& one = there.front();
    std::error_code absent;
    if (fs::file_size(one.local, absent) == one.stat.size && !absent) return keep(one);
    const auto part = partFile(one.local, one.stat);
    const auto begun = fs::file_size(part, absent);
    m_budget.refresh();
    if (!m_budget.makeRoom(one.stat.size - (absent ? 0 : std::min(begun, one.stat.size))))
        throw Error("The clip has " + sizeText(one.stat.size) +
                        ", which does not fit into the clip mirror: " + sizeText(m_budget.limits().bytes) +
                        " at most, " + sizeText(m_budget.limits().minFreeBytes) +
                        " of the disk stay free, and judged clips stay.",
                    "Give it more with `dailies mirror --size GIB`, or free some of the disk.");
    m_cluster.session().download(m_cluster.workspace() + "/runs/" + one.remote, one.local, stop, progress);
    keep(one);
}

void ClipMirror::missed(const tracking::ClipRecord& clip, const std::string& why) {
    if (++m_misses[{clip.runId, clip.path}] >= kMissesAllowed) giveUp(clip, why);
}

/// The file is whole. Throws `Error` when it cannot be played, and removes it.
void ClipMirror::keep(const Wanted& wanted) {
    try {
        const video::ClipInfo info = video::ClipReader(wanted.local).info();
        if (wanted.clip.frames == 0)  // nobody told: it is another program's
            recordFacts(m_store, wanted.clip, info);
    } catch (const Error&) {
        std::error_code failure;
        fs::remove(wanted.local, failure);
        throw;
    }
    video::removeParts(wanted.local);
    const auto place = fs::absolute(wanted.local).string();
    // One that was let go and came again is what it was: what was found in it stands.
    if (wanted.clip.localPath != place) m_store.setClipLocalPath(wanted.clip.runId, wanted.clip.path, place);
}

void ClipMirror::giveUp(const tracking::ClipRecord& clip, const std::string& why) {
    m_givenUp.insert({clip.runId, clip.path});
    const std::string text = "The clip " + sanitizedText(clip.path) + " cannot be shown: " + why;
    // A later follower tries again; it need not say the same again.
    for (const tracking::RunMessage& message : m_store.messages(clip.runId))
        if (message.text == text) return;
    m_store.addMessage({clip.runId, unixMillis(), "warning", text});
}

}  // namespace dailies::remote

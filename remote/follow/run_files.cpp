#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/clip_path.h"
#include "core/video/clip_part.h"
#include "remote/cluster/run_cluster.h"
#include "remote/follow/clip_mirror.h"
#include "remote/follow/follow.h"
#include "remote/follow/log_mirror.h"
#include "remote/launch/source_runs.h"

#include <algorithm>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLogTail = 64 << 10;
constexpr std::size_t kLogChunkBytes = 1 << 20;
constexpr int kDeepest = 9;  ///< folders inside folders

/// Where to cut a log's text so that no line (or, in a very long line, no character) is torn.
std::size_t wholeText(const std::string& bytes) {
    if (const auto lineEnd = bytes.rfind('\n'); lineEnd != std::string::npos) return lineEnd + 1;
    std::size_t end = bytes.size();
    for (int back = 0; back < 4 && end > 0 && (static_cast<unsigned char>(bytes[end - 1]) & 0xc0) == 0x80;
         ++back)
        --end;
    return end > 0 && static_cast<unsigned char>(bytes[end - 1]) >= 0xc0 ? end - 1 : bytes.size();
}

/// One file that cannot lie here must not keep the others away: its name, or what is in its place.
void requirePlace(const fs::path& local) {
    constexpr std::size_t kLongestName = 240;  // a file on its way has a longer one
    if (local.filename().native().size() > kLongestName)
        throw Error("the name of " + sanitizedText(local.string()) + " is too long for this computer.");
    if (const auto found = describeNonFile(local); !found.empty())
        throw Error(sanitizedText(local.string()) + " is " + found + " on this computer.");
    std::error_code problem;
    fs::create_directories(local.parent_path(), problem);
    if (problem)
        throw Error("the folder " + sanitizedText(local.parent_path().string()) +
                    " cannot be made: " + problem.message() + ".");
}

/// A line for every tenth of what is carried.
ssh::Session::TransferProgress percents(const Progress& progress) {
    return [&progress, said = std::uint64_t{0}](std::uint64_t done, std::uint64_t total) mutable {
        const auto tenth = total > 0 ? done * 10 / total : 10;
        if (!progress || tenth <= said || tenth >= 10) return;
        said = tenth;
        progress(std::to_string(tenth * 10) + " % copied");
    };
}

}  // namespace

fs::path mirrorFolder(const fs::path& storeFile) {
    return tracking::artifactRoot(storeFile);
}

std::string readLog(Cluster& cluster, const tracking::Store& store, const std::string& runId,
                    std::int64_t& offset) {
    const tracking::Run run = requireRun(store, runId);
    requireConnected(&cluster, run);
    const std::string job = newestJob(store, run);
    const std::string path = job.empty() ? "" : remoteLog(cluster, run, job);
    const auto stat = path.empty() ? std::nullopt : cluster.session().stat(path);
    if (!stat) return {};
    const auto size = static_cast<std::int64_t>(stat->size);
    const bool fromTail = offset < 0 && size > kLogTail;
    if (offset < 0) offset = std::max<std::int64_t>(0, size - kLogTail);
    if (offset > size) offset = 0;  // a further attempt has a log of its own
    if (offset == size) return {};
    std::string bytes = cluster.session().read(path, static_cast<std::uint64_t>(offset), kLogChunkBytes);
    bytes.resize(wholeText(bytes));
    offset += static_cast<std::int64_t>(bytes.size());
    if (fromTail) bytes.erase(0, bytes.find('\n') == std::string::npos ? 0 : bytes.find('\n') + 1);
    return sanitizedText(bytes);
}

int pullRun(Cluster& cluster, tracking::Store& store, const fs::path& mirror, const std::string& runId,
            PullScope what, const Progress& progress, std::stop_token stop,
            std::optional<MirrorLimits> limits) {
    const std::int64_t began = unixMillis() / 1000;  // what comes now does not push out what came just before
    requireConnected(&cluster, requireRun(store, runId));
    const std::string folder = cluster.runFolder(runId);
    if (!cluster.session().stat(folder))
        throw Error("The run's folder " + folder + " is not on cluster '" + cluster.profile().name + "'.",
                    "It was removed there; what was mirrored before is kept.");
    const std::string part = what == PullScope::Checkpoints ? "checkpoints/" : "";
    std::vector<ssh::BatchFile> wanted;
    std::uint64_t size = 0;
    if (part.empty() || cluster.session().stat(folder + "/" + part)) {
        for (const auto& [name, stat] : cluster.session().listTree(folder + "/" + part, kDeepest, stop)) {
            if (what == PullScope::Clips && !tracking::isClipPath(name)) continue;
            try {
                const fs::path local = mirroredPath(mirror, runId, part + name);
                requirePlace(local);
                std::error_code absent;
                if (fs::file_size(local, absent) == stat.size && !absent)
                    video::markWatched(local);
                else
                    wanted.push_back({part + name, local, stat.size});
            } catch (const Error& error) {
                if (progress) progress("Left out: " + error.full());
            }
        }
    }
    std::ranges::reverse(wanted);  // newest steps first
    MirrorBudget budget(store, mirror, limits);
    budget.refresh();
    const auto withoutRoom = std::erase_if(wanted, [&](const ssh::BatchFile& file) {
        return tracking::isClipPath(file.name) && !budget.makeRoom(file.size, began);
    });
    for (const ssh::BatchFile& file : wanted) size += file.size;
    if (progress && withoutRoom > 0)
        progress(std::to_string(withoutRoom) + (withoutRoom == 1 ? " clip does" : " clips do") +
                 " not fit into the mirror (" + sizeText(budget.limits().bytes) +
                 " at most); `dailies mirror --size GIB` gives it more.");
    if (progress && !wanted.empty())
        progress("Copying " + std::to_string(wanted.size()) + (wanted.size() == 1 ? " file (" : " files (") +
                 sizeText(size) + ")");
    const auto arrivals = cluster.session().downloadAll(folder, wanted, stop, percents(progress));
    int copied = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (arrivals[i] == ssh::TransferResult::Complete) {
            ++copied;
            video::removeParts(wanted[i].local);
        } else if (progress)
            progress(sanitizedText(wanted[i].name) + (arrivals[i] == ssh::TransferResult::Missing
                                                          ? " is not there any more, or may not be read."
                                                          : " was changed while it was copied."));
    }
    for (const tracking::ClipRecord& clip : store.clipsWithoutFile(runId)) {
        try {
            std::error_code absent;
            const fs::path local = fs::absolute(mirroredPath(mirror, runId, clip.path));
            if (fs::is_regular_file(local, absent)) store.setClipLocalPath(runId, clip.path, local.string());
        } catch (const Error& error) {
            if (progress) progress("Left out: " + error.full());
        }
    }
    return copied;
}

}  // namespace dailies::remote

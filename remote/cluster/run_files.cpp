#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/files_folder.h"
#include "remote/cluster/chosen_runs.h"
#include "remote/cluster/clip_mirror.h"
#include "remote/cluster/follow.h"
#include "remote/cluster/log_mirror.h"

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLogTail = 64 << 10;
constexpr std::size_t kLogBytes = 1 << 20;
constexpr int kDeepest = 8;  ///< folders inside folders; a link to a parent would go on for ever

/// Where to cut a log's text so that no line (or, in a very long line, no character) is torn.
std::size_t wholeText(const std::string& bytes) {
    if (const auto lineEnd = bytes.rfind('\n'); lineEnd != std::string::npos) return lineEnd + 1;
    std::size_t end = bytes.size();
    for (int back = 0; back < 4 && end > 0 && (static_cast<unsigned char>(bytes[end - 1]) & 0xc0) == 0x80;
         ++back)
        --end;
    return end > 0 && static_cast<unsigned char>(bytes[end - 1]) >= 0xc0 ? end - 1 : bytes.size();
}

void listFiles(ssh::Session& session, const std::string& folder, const std::string& relative, int depth,
               std::vector<std::pair<std::string, ssh::FileStat>>& files) {
    if (depth > kDeepest || !session.stat(folder)) return;
    for (const ssh::FolderEntry& entry : session.list(folder)) {
        const std::string path = relative.empty() ? entry.name : relative + "/" + entry.name;
        if (entry.stat.isFolder)
            listFiles(session, folder + "/" + entry.name, path, depth + 1, files);
        else
            files.emplace_back(path, entry.stat);
    }
}

}  // namespace

fs::path mirrorFolder(const fs::path& storeFile) {
    return tracking::filesFolder(storeFile);
}

std::string readLog(Cluster& cluster, const tracking::Store& store, const std::string& runId,
                    std::int64_t& offset) {
    const tracking::Run run = requireRun(store, runId);
    const std::string job = newestJob(store, run);
    const std::string path = job.empty() ? "" : remoteLog(cluster, run, job);
    const auto stat = path.empty() ? std::nullopt : cluster.session().stat(path);
    if (!stat) return {};
    const auto size = static_cast<std::int64_t>(stat->size);
    const bool fromTail = offset < 0 && size > kLogTail;
    if (offset < 0) offset = std::max<std::int64_t>(0, size - kLogTail);
    if (offset > size) offset = 0;  // a further attempt has a log of its own
    if (offset == size) return {};
    std::string bytes = cluster.session().read(path, static_cast<std::uint64_t>(offset), kLogBytes);
    bytes.resize(wholeText(bytes));
    offset += static_cast<std::int64_t>(bytes.size());
    if (fromTail) bytes.erase(0, bytes.find('\n') == std::string::npos ? 0 : bytes.find('\n') + 1);
    return inertText(bytes);
}

int pullRun(Cluster& cluster, tracking::Store& store, const fs::path& mirror, const std::string& runId,
            Pull what, const Progress& progress, std::stop_token stop) {
    requireRun(store, runId);
    const std::string folder = cluster.runFolder(runId);
    if (!cluster.session().stat(folder))
        throw Error("The run's folder " + folder + " is not on cluster '" + cluster.profile().name + "'.",
                    "It was removed there; what was mirrored before is kept.");
    std::vector<std::pair<std::string, ssh::FileStat>> files;
    const std::string part = what == Pull::Clips ? "clips" : what == Pull::Checkpoints ? "checkpoints" : "";
    listFiles(cluster.session(), part.empty() ? folder : folder + "/" + part, part, 0, files);
    int copied = 0;
    for (const auto& [path, stat] : files) {
        if (stop.stop_requested()) throw Cancelled();
        const fs::path local = mirroredPath(mirror, runId, path);
        std::error_code absent;
        if (fs::file_size(local, absent) == stat.size && !absent) continue;
        if (progress)
            progress("Copying " + inertText(path) + " (" + std::to_string(stat.size / 1024) + " kB)");
        fs::create_directories(local.parent_path());
        cluster.session().download(folder + "/" + path, local, stop);
        ++copied;
    }
    for (const tracking::ClipRecord& clip : store.clips({runId})) {
        std::error_code absent;
        if (!clip.localPath.empty() || !clip.path.starts_with("clips/")) continue;
        const fs::path local = fs::absolute(mirroredPath(mirror, runId, clip.path));
        if (fs::is_regular_file(local, absent)) store.setClipLocalPath(runId, clip.path, local.string());
    }
    return copied;
}

}  // namespace dailies::remote

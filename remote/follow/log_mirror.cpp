#include "remote/follow/log_mirror.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/follow/clip_mirror.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChunk = 4 << 20;

[[noreturn]] void refuse(const fs::path& file, const char* verb) {
    const std::string why = std::strerror(errno);
    throw Error(std::string("Cannot ") + verb + " the copy of the log, " + file.string() + ": " + why + ".",
                "Free some space, or make its folder writable.");
}

void append(const fs::path& file, const std::string& bytes, bool anew) {
    fs::create_directories(file.parent_path());
    const int fd =
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (anew ? O_TRUNC : 0), 0644);
    if (fd < 0) refuse(file, "open");
    for (std::size_t written = 0; written < bytes.size();) {
        const auto count = ::write(fd, bytes.data() + written, bytes.size() - written);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            const int error = errno;
            ::close(fd);
            errno = error;
            refuse(file, "write");
        }
        written += static_cast<std::size_t>(count);
    }
    ::close(fd);
}

}  // namespace

fs::path mirroredLog(const fs::path& mirror, const std::string& runId, const std::string& job) {
    return mirroredPath(mirror, runId, "logs/" + job + ".out");
}

std::string newestJob(const tracking::Store& store, const tracking::Run& run) {
    const auto attempts = store.attempts(run.id);
    const auto newest = std::ranges::max_element(
        attempts, {}, [](const tracking::Attempt& a) { return std::pair(a.startMs, a.restarts); });
    if (newest != attempts.end() && newest->startMs > 0) return newest->job;
    return jobOf(store, run);
}

std::string remoteLog(Cluster& cluster, const tracking::Run& run, const std::string& job) {
    const std::string own = cluster.runFolder(run.id) + "/logs/" + job + ".out";
    std::string submission = tagOf(run, tracking::tag::kSubmission);
    if (submission.empty()) submission = tagOf(run, tracking::tag::kSweep);
    if (submission.empty() || cluster.session().stat(own)) return own;
    return cluster.sweepFolder(submission) + "/slurm-" + job + ".out";
}

LogUpdate mirrorLog(Cluster& cluster, const fs::path& mirror, const tracking::Run& run,
                    const std::string& job) {
    LogUpdate update{.file = mirroredLog(mirror, run.id, job)};
    std::error_code absent;
    const auto have = fs::file_size(update.file, absent);
    std::uint64_t offset = absent ? 0 : have;
    update.size = static_cast<std::int64_t>(offset);

    const std::string path = remoteLog(cluster, run, job);
    const auto stat = cluster.session().stat(path);
    if (!stat || stat->size == offset) return update;
    const bool anew = stat->size < offset;
    if (anew) offset = 0;
    const std::string bytes = cluster.session().read(path, offset, kChunk);
    append(update.file, bytes, anew);
    update.size = static_cast<std::int64_t>(offset + bytes.size());
    update.more = !bytes.empty() && static_cast<std::uint64_t>(update.size) < stat->size;
    return update;
}

}  // namespace dailies::remote

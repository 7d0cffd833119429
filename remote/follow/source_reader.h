#pragma once

#include "remote/ssh/session.h"

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote {

/// What has been read of the files of one run's folder: bytes by path relative to it.
struct ReadFiles {
    std::string runId;
    std::map<std::string, std::int64_t> offsets = {};
    std::string folder = {};  ///< of the run, absolute; empty: its own below the workspace
    /// A folder's name before the paths that are told of the run: of MLflow's, which is known by it. Empty:
    /// none.
    std::string prefix = {};
};

/// A file of a program that has another size than what was read of it.
struct FileUpdate {
    std::string runId;
    std::string path;       ///< relative to the run's folder
    std::int64_t size = 0;  ///< now; below `offset`: it was begun anew, or another node shows an old size
    std::int64_t modifiedMs = 0;  ///< unix ms
    std::int64_t offset = 0;
    std::string bytes;  ///< from the offset on, at most kSourceChunkBytes; of videos none
    std::string head;   ///< the first 64 KiB, of a CSV: its header says what a row holds
};

/// A file's share of one reading, and all files' share: what is over is read by the next call.
inline constexpr std::int64_t kSourceChunkBytes = 8 << 20;
inline constexpr std::int64_t kMaxSourceBytes = 32 << 20;

/// How much of the files a reading brings: nothing of them but their names and sizes, or what is new.
enum class Bring { Names, Bytes };

/// Looks through the folders of all these runs, in one call: reads what is new in files that trackers and
/// logs are named like, and tells of videos. Names with control characters are passed over. A file that lies
/// in the folders of two runs is the inner one's.
using FileReader =
    std::function<std::vector<FileUpdate>(const std::vector<ReadFiles>&, Bring, std::stop_token)>;

/// On a cluster. The session must outlive the reader. Throws `Error`, `SessionError`, `Cancelled`.
FileReader clusterFiles(ssh::Session& session, std::string workspace);
/// On this machine; every run has a folder.
FileReader localFiles();

/// Splits what the remote script printed, in which `boundary` stands behind each file. A file that shrank
/// while it was sent is left out. Throws `Error` when the answer was cut. Pure.
std::vector<FileUpdate> parseFileUpdates(std::string_view out, std::string_view boundary);

}  // namespace dailies::remote

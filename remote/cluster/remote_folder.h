#pragma once

#include "remote/ssh/session.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// What lies in a folder of the cluster. Names come from there: show them by `printableName`.
struct RemoteItem {
    enum class Kind {
        Folder,
        File,
        Other
    };  ///< of what a link leads to; Other: broken links, devices, pipes

    std::string name;
    Kind kind = Kind::File;
    std::uint64_t size = 0;     ///< bytes; 0 for folders
    std::int64_t modified = 0;  ///< unix seconds
    std::string hint = {};      ///< of a folder: what data it seems to hold, "24 shards, 3.1 GB"; or ""
};

/// How many of a folder's entries are looked at.
inline constexpr std::size_t kMaxItems = 20'000;

struct RemoteFolder {
    std::string path;               ///< absolute, as a person would write it
    std::vector<RemoteItem> items;  ///< folders first, then by name
    std::string hint = {};          ///< what data the folder itself seems to hold; or ""
    bool complete = true;           ///< false: it has more than kMaxItems entries
};

/// Looks into a folder by one remote command. `path`: absolute, or below the home folder ("", "~",
/// "~/data", "data"). Throws `Error` that says why it cannot be listed.
RemoteFolder browse(ssh::Session& session, const std::string& path, std::stop_token stop = {});

/// What the data in these files seems to be, for somebody who looks for a dataset: WebDataset shards, what a
/// sample of them has (`members`: of a shard), videos and captions, or "". Pure.
std::string datasetHint(const std::vector<RemoteItem>& files, const std::vector<std::string>& members = {});

/// A name from there on one line: what would speak to a terminal, or begin another line, is made visible.
std::string printableName(const std::string& name);

/// Makes of what a person typed on the command line ("data", "~/data") an absolute path there, which need
/// not exist.
std::string resolveRemotePath(ssh::Session& session, const std::string& path, std::stop_token stop = {});

/// Whether an absolute path is a folder there, or a link to one.
bool isRemoteFolder(ssh::Session& session, const std::string& path, std::stop_token stop = {});

}  // namespace dailies::remote

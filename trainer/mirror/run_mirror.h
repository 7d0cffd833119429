#pragma once

#include "core/objects/s3_access.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A copy of a run's folder in a bucket: its complete checkpoints, events, clips, logs and what else lies
/// there, but its cache and heartbeats. A checkpoint's manifest goes up last and comes down first, so that
/// the copy holds no checkpoint that is not whole. What was copied is told by size and time of change, which
/// the folder's mirror.json remembers. One thread at a time.
class RunMirror {
public:
    /// `url`: s3://bucket/folder, below which the copy is a folder named like the run's. Throws `Error` where
    /// the bucket cannot be listed.
    RunMirror(std::filesystem::path runFolder, const std::string& url, objects::S3Access access);

    const std::string& url() const { return m_url; }

    /// The newest checkpoint of the copy, and what else of it the folder lacks, into a folder without any
    /// checkpoint. nullopt, and nothing done: the folder has one, or the copy has none. Throws `Error`; what
    /// came down until then stays, and no incomplete checkpoint looks complete.
    std::optional<std::int64_t> restore();

    /// Copies the run's config where it has one: whether the bucket takes anything. Throws `Error`.
    void copyConfig();

    /// Whether the folder has a complete checkpoint that the copy lacks.
    bool isBehind() const;

    /// Copies what is new or has changed, then removes checkpoints from the copy that the folder no longer
    /// has; returns how many files went up. Throws `Error`; what was copied until then need not be copied
    /// again.
    std::int64_t copy();

private:
    /// A state of a file in which it was copied.
    struct Version {
        std::uint64_t bytes = 0;
        std::int64_t changed = 0;  ///< nanoseconds of the file system's clock
        bool operator==(const Version&) const = default;
    };
    using Files = std::map<std::string, Version>;  ///< by path below the run's folder

    static std::optional<Version> versionOf(const std::filesystem::path& file);
    Files filesToCopy() const;
    /// Below the run's folder, of its complete checkpoints.
    std::vector<std::string> manifests() const;
    /// Returns how many went up: what was removed meanwhile does not.
    std::int64_t upload(const std::vector<std::string>& paths, const Files& versions);
    void remove(const std::vector<std::string>& paths);
    void readRecord();
    void writeRecord() const;

    std::filesystem::path m_folder;
    std::string m_url;  ///< of the copy, without a slash at its end
    objects::S3Access m_access;
    std::map<std::string, std::uint64_t> m_listed;  ///< bytes of what the copy had when it was opened
    Files m_copied;
};

}  // namespace dailies::trainer

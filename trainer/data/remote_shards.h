#pragma once

#include "core/base/files.h"
#include "core/objects/object_clients.h"
#include "trainer/data/tar_listing.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace dailies::trainer {

/// Bytes of a shard in a file of this machine, from `offset` on, for as long as this object lives: also where
/// the file is removed meanwhile.
class LocalBytes {
public:
    /// Of a shard that lies there.
    LocalBytes(const std::filesystem::path& file, std::uint64_t offset) : m_path(file), m_offset(offset) {}
    /// Of a file with these bytes alone; takes `descriptor` over.
    explicit LocalBytes(int descriptor);
    ~LocalBytes();
    LocalBytes(LocalBytes&& other) noexcept;
    LocalBytes(const LocalBytes&) = delete;
    LocalBytes& operator=(LocalBytes&&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t offset() const { return m_offset; }

private:
    std::filesystem::path m_path;
    std::uint64_t m_offset = 0;
    int m_descriptor = -1;
};

/// Reads shards that lie in buckets and on web servers. What is read of them is kept in a folder, at most so
/// many bytes: what was longest not asked for goes first. Processes of one machine may share it, and its
/// content can be removed at any time. Several threads at once, each over a connection of its own. Errors as
/// of `ObjectReader`.
class RemoteShards {
public:
    /// `folder`: empty for one that lives as long as this object.
    RemoteShards(const std::filesystem::path& folder, std::uint64_t keptBytes);
    ~RemoteShards();

    std::vector<std::string> list(const std::string& url);
    objects::ObjectFacts facts(const std::string& url);
    /// A small object; nullopt where the server has none, or gives none.
    std::optional<std::string> textOf(const std::string& url);
    LocalBytes read(const std::string& url, const std::string& stamp, const TarMember& member);
    /// Fetches it meanwhile, for a `read` to come, on threads of its own. What goes wrong `read` meets again.
    void readAhead(const std::string& url, const std::string& stamp, const TarMember& member);
    /// The whole shard, to be removed by the caller.
    std::filesystem::path download(const std::string& url, const objects::ObjectFacts& facts);

private:
    struct Arrival;

    struct Wanted {
        std::string url, stamp;
        TarMember member;
    };

    std::filesystem::path fileOf(const Wanted& wanted) const;
    /// The file's descriptor; -1 where it is not kept.
    int opened(const std::filesystem::path& file) const;
    LocalBytes fetch(const Wanted& wanted, const std::filesystem::path& file);
    void fetchAhead(const std::stop_token& stop);
    /// What processes that were killed had begun to write.
    void removeLeftovers() const;
    void makeRoom();

    std::optional<TemporaryFolder> m_temporary;
    std::filesystem::path m_folder;
    std::uint64_t m_keptBytes;
    std::stop_source m_stop;  ///< of all requests
    objects::ObjectReaders m_readers;
    std::mutex m_mutex;                        ///< of what follows
    std::uint64_t m_written = 0;               ///< since the folder was looked through
    std::set<std::filesystem::path> m_coming;  ///< being fetched
    std::deque<Wanted> m_ahead;
    std::condition_variable_any m_arrived, m_isWanted;
    std::vector<std::jthread> m_threads;  ///< last: they use everything above
};

}  // namespace dailies::trainer

#pragma once

#include "trainer/data/array.h"
#include "trainer/serialization/safetensors_header.h"

#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>

namespace dailies::trainer {

/// A key for what is computed from these parts, in this order: the encoder's weights and settings, the clip's
/// identity (DataSource::identity), its bucket. Whatever changes one of them changes the key, so nothing
/// stale is ever found.
std::string contentKey(std::initializer_list<std::string_view> parts);

/// Tells the weights of one tokenizer from those of another. Checkpoints hold it, so it stays as it is: 64
/// bits, written in 32 digits, which are enough for a few tokenizers and too few for the clips of a cache.
std::string weightsKey(std::initializer_list<std::string_view> parts);

/// Arrays that are dear to compute (latents, text embeddings) in a folder of safetensors files, by key: made
/// once, used by every later epoch, attempt and run. Ranks and runs may share a folder; each sees what stood
/// there when it opened it, and what it put there itself. Files appear whole or not at all, so a kill loses
/// only what was not yet written. Any number of threads.
class ArrayCache {
public:
    static constexpr std::uint64_t kFileBytes = 64 << 20;  ///< how much waits before it is written

    /// Files that are damaged are left out, each with a line in `takeProblems`; what they held is computed
    /// again.
    explicit ArrayCache(std::filesystem::path folder, std::uint64_t fileBytes = kFileBytes);
    ~ArrayCache();  ///< writes what waits
    ArrayCache(const ArrayCache&) = delete;
    ArrayCache& operator=(const ArrayCache&) = delete;

    /// Throws `Error` when the file that held it can no longer be read.
    std::optional<Array> find(const std::string& key) const;
    bool contains(const std::string& key) const;
    void put(const std::string& key, Array array);

    /// Writes what waits; throws `Error` when it cannot, and then goes on holding it.
    void flush();

    std::size_t size() const;
    std::vector<std::string> takeProblems();

private:
    struct Place {
        std::size_t file;
        std::uint64_t offset;
        SafetensorsEntry entry;
    };

    void open(const std::filesystem::path& file);
    void write();

    std::filesystem::path m_folder;
    std::uint64_t m_fileBytes;
    mutable std::mutex m_mutex;
    std::vector<std::filesystem::path> m_files;
    std::map<std::string, Place> m_kept;
    std::map<std::string, Array> m_waiting;
    std::uint64_t m_waitingBytes = 0;
    std::vector<std::string> m_problems;
};

}  // namespace dailies::trainer

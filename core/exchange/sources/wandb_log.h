#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace dailies::exchange {

/// Reads the records of a W&B run file: seven bytes of file header (":W&B", magic 0xBEE1, version), then
/// LevelDB's log format (doc/log_format.md there): blocks of 32 KiB, each chunk with CRC-32, length and type,
/// a record being one whole chunk or a first, middle… and last one. Unlike LevelDB's, the checksum is zlib's
/// CRC-32 and not masked (wandb/sdk/internal/datastore.py).
class WandbLogReader {
public:
    enum class End {
        None,     ///< `next` gave a record
        File,     ///< the last record was whole
        Torn,     ///< the file stops in the middle of a record: still being written, or cut
        Damaged,  ///< a checksum or a type does not fit
    };

    explicit WandbLogReader(const std::filesystem::path& file);

    /// Whether the file begins as such files do.
    bool isWandb() const { return m_isWandb; }

    /// The next record, valid until the next call. Anything but `None` is the end for good.
    End next(std::string_view& record);

    std::uint64_t offset() const { return m_offset; }  ///< of the chunk to be read next

private:
    bool read(char* to, std::size_t count);

    std::ifstream m_file;
    std::uint64_t m_offset = 0;
    bool m_isWandb = false;
    std::string m_chunk, m_record;
};

}  // namespace dailies::exchange

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dailies::sources {

/// The bytes that every W&B run file begins with: ":W&B", magic 0xBEE1, version.
inline constexpr std::size_t kWandbHeaderBytes = 7;
/// Whether the beginning of a file, of at least that length, is that of a W&B run file.
bool isWandbHeader(std::string_view bytes);

/// Reads the records of a W&B run file behind its header. They lie in LevelDB's log format (doc/log_format.md
/// there): blocks of 32 KiB, counted from the file's beginning, each chunk with CRC-32, length and type, a
/// record being one whole chunk or a first, middle… and last one. Unlike LevelDB's, the checksum is zlib's
/// CRC-32 and not masked (wandb/sdk/internal/datastore.py).
class WandbRecords {
public:
    enum class Kind {
        Whole,    ///< there is a record
        Partial,  ///< the bytes end before it does: still being written, or cut
        Damaged,  ///< a checksum or a type does not fit
        TooLong,  ///< the record is longer than `longest`
    };

    /// `bytes` begin at this offset of the file, where a record or the padding before one begins.
    WandbRecords(std::string_view bytes, std::uint64_t offset) : m_bytes(bytes), m_offset(offset) {}

    /// The next record, valid until the next call. After `Partial` and `Damaged` the answer stays the same.
    Kind next(std::string_view& record, std::size_t longest = static_cast<std::size_t>(-1));

    /// Goes on in the next block, because in this one nothing can be trusted. False, and nothing changes,
    /// when that lies behind the bytes.
    bool skipBlock();
    /// Goes on behind the parts of a record whose beginning was passed over. False when they go on behind the
    /// bytes.
    bool skipParts();

    std::size_t consumed() const { return m_consumed; }  ///< bytes up to the end of the last whole record
    std::uint64_t offset() const { return m_offset + m_consumed; }

private:
    struct Part {
        Kind kind = Kind::Partial;
        unsigned char type = 0;
        std::string_view data;
        std::size_t end = 0;  ///< in the bytes
    };
    Part partAt(std::size_t at) const;

    std::string_view m_bytes;
    std::uint64_t m_offset;
    std::size_t m_consumed = 0;
    std::string m_joined;
};

}  // namespace dailies::sources

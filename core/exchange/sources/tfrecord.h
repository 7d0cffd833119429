#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace dailies::exchange {

/// CRC-32C (Castagnoli), as RFC 3720 B.4 defines it.
std::uint32_t crc32c(std::string_view bytes);

/// Reads a TFRecord file record by record. A record is: length (8 bytes, little-endian), masked CRC-32C of
/// the length, data, masked CRC-32C of the data (tensorflow/core/lib/io/record_writer.h).
class TfRecordReader {
public:
    enum class End {
        None,     ///< `next` gave a record
        File,     ///< the last record was whole
        Torn,     ///< the file stops in the middle of a record: still being written, or cut
        Damaged,  ///< a checksum does not fit; where the next record begins is not known
    };

    explicit TfRecordReader(const std::filesystem::path& file);

    /// The next record, valid until the next call. Anything but `None` is the end for good.
    End next(std::string_view& record);

    std::uint64_t offset() const { return m_offset; }  ///< bytes of whole records read so far

private:
    bool read(char* to, std::size_t count);

    std::ifstream m_file;
    std::uint64_t m_size = 0, m_offset = 0;
    std::string m_record;
};

}  // namespace dailies::exchange

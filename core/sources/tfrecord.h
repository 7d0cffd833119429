#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dailies::sources {

/// CRC-32C (Castagnoli), as RFC 3720 B.4 defines it.
std::uint32_t crc32c(std::string_view bytes);

/// One record of a TFRecord file: length (8 bytes, little-endian), masked CRC-32C of the length, data, masked
/// CRC-32C of the data (tensorflow/core/lib/io/record_writer.h).
struct TfRecord {
    enum class Kind {
        Whole,    ///< `data` is the record
        Partial,  ///< the bytes end before it does: still being written, or cut
        Damaged,  ///< a checksum does not fit; where the next record begins is not known
    };
    Kind kind = Kind::Partial;
    std::string_view data;   ///< into the bytes that were read
    std::uint64_t size = 0;  ///< with its frame; of a partial one too, once its length is known, else 0
};

/// The record at the beginning of the bytes.
TfRecord readTfRecord(std::string_view bytes);

}  // namespace dailies::sources

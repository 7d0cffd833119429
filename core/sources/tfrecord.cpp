#include "core/sources/tfrecord.h"

#include <array>
#include <cstring>
#include <limits>

namespace dailies::sources {

namespace {

/// Eight tables, so that eight bytes are folded at once; the polynomial is Castagnoli's, bits reversed.
constexpr auto kTables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78U : 0U);
        tables[0][byte] = crc;
    }
    for (std::size_t table = 1; table < 8; ++table)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const auto crc = tables[table - 1][byte];
            tables[table][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
        }
    return tables;
}();

template <class Number>
Number load(const char* bytes) {  // our platforms are little-endian, as the format is
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

std::uint32_t masked(std::uint32_t crc) {
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

constexpr std::size_t kHeader = 12, kFooter = 4;

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    while (bytes.size() >= 8) {
        const auto word = load<std::uint64_t>(bytes.data()) ^ crc;
        crc = 0;
        for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 0xFF];
        bytes.remove_prefix(8);
    }
    for (const char byte : bytes)
        crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
    return ~crc;
}

TfRecord readTfRecord(std::string_view bytes) {
    TfRecord record;
    if (bytes.size() < kHeader) return record;
    const auto damaged = TfRecord{TfRecord::Kind::Damaged, {}, 0};
    if (masked(crc32c(bytes.substr(0, 8))) != load<std::uint32_t>(bytes.data() + 8)) return damaged;
    // the length may be a lie whose checksum fits
    const auto length = load<std::uint64_t>(bytes.data());
    if (length > std::numeric_limits<std::uint64_t>::max() - kHeader - kFooter) return damaged;
    record.size = kHeader + length + kFooter;
    if (record.size > bytes.size()) return record;
    record.data = bytes.substr(kHeader, static_cast<std::size_t>(length));
    if (masked(crc32c(record.data)) != load<std::uint32_t>(record.data.data() + record.data.size()))
        return damaged;
    record.kind = TfRecord::Kind::Whole;
    return record;
}

}  // namespace dailies::sources

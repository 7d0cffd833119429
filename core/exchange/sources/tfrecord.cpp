#include "core/exchange/sources/tfrecord.h"

#include "core/base/error.h"

#include <array>
#include <cstring>

namespace dailies::exchange {

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

TfRecordReader::TfRecordReader(const std::filesystem::path& file) : m_file(file, std::ios::binary) {
    std::error_code problem;
    m_size = std::filesystem::file_size(file, problem);
    if (!m_file || problem) throw Error("Cannot read " + file.string() + ".", "Check its permissions.");
}

bool TfRecordReader::read(char* to, std::size_t count) {
    m_file.read(to, static_cast<std::streamsize>(count));
    return m_file.gcount() == static_cast<std::streamsize>(count);
}

TfRecordReader::End TfRecordReader::next(std::string_view& record) {
    char header[kHeader];
    if (!read(header, kHeader)) return m_file.gcount() == 0 ? End::File : End::Torn;
    if (masked(crc32c({header, 8})) != load<std::uint32_t>(header + 8)) return End::Damaged;
    const auto length = load<std::uint64_t>(header);
    // before the memory is taken: the length may be a lie whose checksum fits
    if (length + kFooter > m_size - m_offset - kHeader) return End::Torn;
    m_record.resize(static_cast<std::size_t>(length) + kFooter);
    if (!read(m_record.data(), m_record.size())) return End::Torn;
    record = std::string_view(m_record).substr(0, m_record.size() - kFooter);
    if (masked(crc32c(record)) != load<std::uint32_t>(m_record.data() + record.size())) return End::Damaged;
    m_offset += kHeader + m_record.size();
    return End::None;
}

}  // namespace dailies::exchange

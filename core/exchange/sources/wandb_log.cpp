#include "core/exchange/sources/wandb_log.h"

#include "core/base/error.h"

#include <cstring>
#include <zlib.h>

namespace dailies::exchange {

namespace {

constexpr std::size_t kBlock = 32'768, kChunkHeader = 7, kFileHeader = 7;
constexpr std::string_view kMagic(":W&B\xE1\xBE", 6);

enum ChunkType { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

}  // namespace

WandbLogReader::WandbLogReader(const std::filesystem::path& file) : m_file(file, std::ios::binary) {
    if (!m_file) throw Error("Cannot read " + file.string() + ".", "Check its permissions.");
    char header[kFileHeader];
    m_isWandb = read(header, kFileHeader) && std::string_view(header, kMagic.size()) == kMagic;
}

bool WandbLogReader::read(char* to, std::size_t count) {
    m_file.read(to, static_cast<std::streamsize>(count));
    const bool all = m_file.gcount() == static_cast<std::streamsize>(count);
    if (all) m_offset += count;
    return all;
}

WandbLogReader::End WandbLogReader::next(std::string_view& record) {
    m_record.clear();
    bool inside = false;
    for (;;) {
        if (const auto left = kBlock - m_offset % kBlock; left < kChunkHeader) {  // the block's padding
            char padding[kChunkHeader];
            if (!read(padding, left)) return inside ? End::Torn : End::File;
        }
        char header[kChunkHeader];
        if (!read(header, kChunkHeader)) return m_file.gcount() == 0 && !inside ? End::File : End::Torn;
        std::uint32_t checksum;
        std::uint16_t length;
        std::memcpy(&checksum, header, sizeof checksum);
        std::memcpy(&length, header + 4, sizeof length);
        const auto type = static_cast<unsigned char>(header[6]);
        m_chunk.resize(length);
        if (!read(m_chunk.data(), length)) return End::Torn;
        auto crc = crc32(0, reinterpret_cast<const Bytef*>(header + 6), 1);
        crc = crc32(crc, reinterpret_cast<const Bytef*>(m_chunk.data()), length);
        const bool begins = type == kFull || type == kFirst;
        if (crc != checksum || type < kFull || type > kLast || begins == inside) return End::Damaged;
        m_record += m_chunk;
        inside = true;
        if (type == kFull || type == kLast) {
            record = m_record;
            return End::None;
        }
    }
}

}  // namespace dailies::exchange

#include "core/sources/wandb_records.h"

#include <cstring>
#include <zlib.h>

namespace dailies::sources {

namespace {

constexpr std::size_t kBlock = 32'768, kPartHeader = 7;
constexpr std::string_view kMagic(":W&B\xE1\xBE", 6);

enum PartType { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

bool begins(unsigned char type) {
    return type == kFull || type == kFirst;
}

}  // namespace

bool isWandbHeader(std::string_view bytes) {
    return bytes.size() >= kWandbHeaderBytes && bytes.starts_with(kMagic);
}

WandbRecords::Part WandbRecords::partAt(std::size_t at) const {
    Part part;
    if (const auto left = kBlock - (m_offset + at) % kBlock; left < kPartHeader) at += left;  // padding
    if (at + kPartHeader > m_bytes.size()) return part;
    const char* header = m_bytes.data() + at;
    std::uint32_t checksum;
    std::uint16_t length;
    std::memcpy(&checksum, header, sizeof checksum);
    std::memcpy(&length, header + 4, sizeof length);
    part.type = static_cast<unsigned char>(header[6]);
    const bool fits = length <= kBlock - (m_offset + at) % kBlock - kPartHeader;
    if (part.type < kFull || part.type > kLast || !fits) {
        part.kind = Kind::Damaged;
        return part;
    }
    at += kPartHeader;
    if (at + length > m_bytes.size()) return part;
    part.data = m_bytes.substr(at, length);
    part.end = at + length;
    auto crc = crc32(0, reinterpret_cast<const Bytef*>(header + 6), 1);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(part.data.data()), length);
    part.kind = crc == checksum ? Kind::Whole : Kind::Damaged;
    return part;
}

WandbRecords::Kind WandbRecords::next(std::string_view& record, std::size_t longest) {
    m_joined.clear();
    bool inside = false;
    for (std::size_t at = m_consumed;;) {
        const Part part = partAt(at);
        if (part.kind != Kind::Whole) return part.kind;
        if (begins(part.type) == inside) return Kind::Damaged;
        at = part.end;
        if (part.type == kFull) {
            record = part.data;
            m_consumed = at;
            return Kind::Whole;
        }
        inside = true;
        m_joined += part.data;
        if (m_joined.size() > longest) {
            m_consumed = at;
            return Kind::TooLong;
        }
        if (part.type == kLast) {
            record = m_joined;
            m_consumed = at;
            return Kind::Whole;
        }
    }
}

bool WandbRecords::skipBlock() {
    const std::size_t rest = kBlock - (m_offset + m_consumed) % kBlock;
    if (m_consumed + rest > m_bytes.size()) return false;
    m_consumed += rest;
    return true;
}

bool WandbRecords::skipParts() {
    for (;;) {
        const Part part = partAt(m_consumed);
        if (part.kind == Kind::Partial) return false;
        if (part.kind == Kind::Damaged || begins(part.type)) return true;
        m_consumed = part.end;
    }
}

}  // namespace dailies::sources

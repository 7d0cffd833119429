#include "trainer/data/tar_listing.h"

#include "core/base/text.h"
#include "trainer/data/tar_blocks.h"
#include "trainer/serialization/binary_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

namespace dailies::trainer {

namespace {

constexpr std::uint64_t kLongestText =
    1 << 20;  // of a long name or of pax records; real ones have some hundred bytes

using Block = std::array<char, kTarBlock>;

std::string_view textField(const Block& block, std::size_t at, std::size_t length) {
    const std::string_view field(block.data() + at, length);
    return field.substr(0, field.find('\0'));
}

/// Octal digits, or GNU's base 256 for what is larger.
std::optional<std::uint64_t> numberField(const Block& block, std::size_t at, std::size_t length) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(block.data() + at);
    std::uint64_t value = 0;
    if (bytes[0] == 0x80) {
        for (std::size_t i = 1; i < length; ++i) {
            if (value >> 55) return std::nullopt;
            value = value << 8 | bytes[i];
        }
        return value;
    }
    const auto digits = trim(textField(block, at, length));
    if (digits.empty()) return 0;
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
    return bad == std::errc{} && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

bool isEmpty(const Block& block) {
    return std::ranges::all_of(block, [](char c) { return c == 0; });
}

/// The sum of the header's bytes with its own field as spaces; old writers summed signed characters.
bool sumIsRight(const Block& block) {
    constexpr std::size_t kField = 148, kLength = 8;
    std::int64_t plain = 0, withSign = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
        const char c = i >= kField && i < kField + kLength ? ' ' : block[i];
        plain += static_cast<unsigned char>(c);
        withSign += static_cast<signed char>(c);
    }
    const auto found = numberField(block, kField, kLength);
    return found &&
           (static_cast<std::int64_t>(*found) == plain || static_cast<std::int64_t>(*found) == withSign);
}

/// Records "length key=value\n"; nullopt when they are none.
std::optional<std::map<std::string, std::string>> paxRecords(std::string_view text) {
    std::map<std::string, std::string> records;
    while (!text.empty() && text[0] != '\0') {
        std::size_t length = 0;
        const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), length);
        const auto head = static_cast<std::size_t>(end - text.data()) + 1;
        if (bad != std::errc{} || length > text.size() || length < head + 2 || text[head - 1] != ' ' ||
            text[length - 1] != '\n')
            return std::nullopt;
        const auto record = text.substr(head, length - head - 1);
        const auto equals = record.find('=');
        if (equals == std::string_view::npos) return std::nullopt;
        records[std::string(record.substr(0, equals))] = record.substr(equals + 1);
        text.remove_prefix(length);
    }
    return records;
}

class TarReader {
public:
    TarReader(const ReadAt& read, std::uint64_t bytes) : m_read(read), m_bytes(bytes) {}

    TarListing list() {
        while (next()) {
        }
        return std::move(m_listing);
    }

private:
    /// Reads one header and what belongs to it; false at the end, whole or not.
    bool next() {
        Block block;
        if (m_at == m_bytes && !m_listing.members.empty())
            return stop("has no end mark: it may be truncated after " + m_listing.members.back().name);
        if (m_at + kTarBlock > m_bytes || m_read(m_at, block.data(), kTarBlock) < kTarBlock)
            return stop("is truncated at byte " + std::to_string(m_at));
        if (isEmpty(block)) return false;
        if (!sumIsRight(block))
            return stop(m_at == 0 ? "is not a tar file, or is compressed"
                                  : "is damaged at byte " + std::to_string(m_at) + ": the rest is left out");
        auto bytes = numberField(block, 124, 12);
        const char type = block[156];
        const bool isText = type == 'L' || type == 'K' || type == 'x' || type == 'g';
        if (bytes && !isText) bytes = sizeFromPax(*bytes);
        m_at += kTarBlock;
        if (!bytes) return stop("is damaged before byte " + std::to_string(m_at) + ": a size makes no sense");
        if (*bytes > m_bytes - m_at) {
            m_at = m_bytes;
            return stop("is truncated inside " + (isText ? "a long name" : nameOf(block)));
        }
        if (isText) {
            if (!readText(type, *bytes)) return false;
        } else {
            take(block, type, *bytes);
            m_longName.clear();
            m_pax.clear();
        }
        // directories and links have no bytes whatever their size says, as tar programs agree
        if (type != '1' && type != '2' && type != '5')
            m_at += std::min(toWholeTarBlocks(*bytes), m_bytes - m_at);
        return true;
    }

    bool stop(std::string_view problem) {
        m_listing.problems.emplace_back(problem);
        return false;
    }

    bool readText(char type, std::uint64_t bytes) {
        if (bytes > kLongestText)
            return stop("is damaged: a long name has " + std::to_string(bytes) + " bytes");
        std::string text(bytes, '\0');
        if (m_read(m_at, text.data(), text.size()) < text.size())
            return stop("is truncated inside a long name");
        if (type == 'L') m_longName = text.substr(0, text.find('\0'));
        if (type == 'x' || type == 'g') {
            auto records = paxRecords(text);
            if (!records)
                return stop("is damaged before byte " + std::to_string(m_at) +
                            ": its pax records make no sense");
            auto& into = type == 'x' ? m_pax : m_paxForAll;
            for (auto& [key, value] : *records) into[key] = std::move(value);
        }
        return true;
    }

    const std::string* pax(const std::string& key) const {
        for (const auto* records : {&m_pax, &m_paxForAll})
            if (const auto found = records->find(key); found != records->end()) return &found->second;
        return nullptr;
    }

    std::optional<std::uint64_t> sizeFromPax(std::uint64_t size) const {
        const auto* text = pax("size");
        if (!text) return size;
        const auto [end, bad] = std::from_chars(text->data(), text->data() + text->size(), size);
        return bad == std::errc{} && end == text->data() + text->size() ? std::optional(size) : std::nullopt;
    }

    std::string nameOf(const Block& block) const {
        if (const auto* path = pax("path")) return *path;
        if (!m_longName.empty()) return m_longName;
        const std::string name(textField(block, 0, 100));
        // GNU's older format keeps other things in the place of POSIX's prefix
        const bool posix = std::memcmp(block.data() + 257, "ustar", 6) == 0;
        const auto prefix = posix ? textField(block, 345, 155) : std::string_view();
        return prefix.empty() ? name : std::string(prefix) + "/" + name;
    }

    void take(const Block& block, char type, std::uint64_t bytes) {
        auto name = nameOf(block);
        if (type == 'S' || pax("GNU.sparse.major") || pax("GNU.sparse.map")) {
            m_listing.problems.push_back("holds " + name +
                                         " as a sparse file, which cannot be read in place");
            return;
        }
        const bool regular = type == '0' || type == '7' || (type == '\0' && !name.ends_with('/'));
        if (regular) m_listing.members.push_back({std::move(name), m_at, bytes});
    }

    const ReadAt& m_read;
    std::uint64_t m_bytes;
    std::uint64_t m_at = 0;
    std::string m_longName;
    std::map<std::string, std::string> m_pax, m_paxForAll;
    TarListing m_listing;
};

}  // namespace

TarListing listTar(const ReadAt& read, std::uint64_t bytes) {
    if (bytes == 0) return {{}, {"is empty"}};
    return TarReader(read, bytes).list();
}

TarListing listTar(const std::filesystem::path& file) {
    const auto tar = BinaryFile::openForRead(file);
    const auto bytes = tar.size();
    return listTar(
        [&](std::uint64_t offset, char* into, std::size_t count) {
            const auto there =
                static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes - std::min(offset, bytes)));
            tar.readAt(offset, into, there);
            return there;
        },
        bytes);
}

}  // namespace dailies::trainer

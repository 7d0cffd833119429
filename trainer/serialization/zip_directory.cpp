#include "trainer/serialization/zip_directory.h"

#include "core/base/error.h"

#include <algorithm>
#include <cstring>

// PKWARE's APPNOTE.TXT, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14 to 4.3.16 (its
// end), 4.5.3 (sizes beyond 32 bits).

namespace dailies::trainer {

namespace {

constexpr std::uint64_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56, kCentralSize = 46, kLocalSize = 30;
constexpr std::uint64_t kLongestComment = 65535, kLongestDirectory = 256'000'000;
constexpr std::uint32_t kInExtra = 0xFFFFFFFFU;  // the number stands in the extra field

template <class T>
T at(const std::string& bytes, std::uint64_t offset) {
    T value{};
    if (offset > bytes.size() || bytes.size() - offset < sizeof value)
        throw InputError("its directory is damaged");
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string read(const BinaryFile& file, std::uint64_t offset, std::uint64_t count, std::uint64_t fileSize) {
    if (offset > fileSize || count > fileSize - offset) throw InputError("its directory is damaged");
    std::string bytes(count, '\0');
    file.readAt(offset, bytes.data(), count);
    return bytes;
}

struct Directory {
    std::uint64_t begin = 0, size = 0;
};

Directory findDirectory(const BinaryFile& file, std::uint64_t fileSize) {
    const auto tailSize = std::min(fileSize, kEndSize + kLongestComment);
    const auto tail = read(file, fileSize - tailSize, tailSize, fileSize);
    const auto end = tail.rfind("PK\x05\x06");
    if (end == std::string::npos)
        throw InputError("it has no directory at its end, as after a download or a copy that was cut short");
    const auto place = fileSize - tailSize + end;
    Directory found{at<std::uint32_t>(tail, end + 16), at<std::uint32_t>(tail, end + 12)};
    if (place >= kLocatorSize) {
        const auto locator = read(file, place - kLocatorSize, kLocatorSize, fileSize);
        if (locator.starts_with("PK\x06\x07")) {
            const auto wide = read(file, at<std::uint64_t>(locator, 8), kEnd64Size, fileSize);
            if (!wide.starts_with("PK\x06\x06")) throw InputError("its directory is damaged");
            found = {at<std::uint64_t>(wide, 48), at<std::uint64_t>(wide, 40)};
        }
    }
    return found;
}

/// One of the numbers that stand in the extra field where they are beyond 32 bits: in this order.
class Wide {
public:
    explicit Wide(const std::string& extra) {
        for (std::uint64_t i = 0; i + 4 <= extra.size();) {
            const auto id = at<std::uint16_t>(extra, i), size = at<std::uint16_t>(extra, i + 2);
            if (id == 1) m_numbers = extra.substr(i + 4, size);
            i += 4ULL + size;
        }
    }
    std::uint64_t of(std::uint32_t narrow) {
        if (narrow != kInExtra) return narrow;
        m_next += 8;
        return at<std::uint64_t>(m_numbers, m_next - 8);
    }

private:
    std::string m_numbers;
    std::uint64_t m_next = 0;
};

}  // namespace

std::map<std::string, ZipEntry> readZipDirectory(const BinaryFile& file) {
    const auto fileSize = file.size();
    const auto [begin, size] = findDirectory(file, fileSize);
    if (size > kLongestDirectory) throw InputError("its directory is too long");
    const auto directory = read(file, begin, size, fileSize);
    std::map<std::string, ZipEntry> entries;
    for (std::uint64_t i = 0; i + kCentralSize <= directory.size();) {
        if (directory.compare(i, 4, "PK\x01\x02") != 0) throw InputError("its directory is damaged");
        const auto nameSize = at<std::uint16_t>(directory, i + 28),
                   extraSize = at<std::uint16_t>(directory, i + 30),
                   commentSize = at<std::uint16_t>(directory, i + 32);
        if (directory.size() - i - kCentralSize < std::uint64_t{nameSize} + extraSize + commentSize)
            throw InputError("its directory is damaged");
        const auto name = directory.substr(i + kCentralSize, nameSize);
        Wide wide(directory.substr(i + kCentralSize + nameSize, extraSize));
        const auto whole = wide.of(at<std::uint32_t>(directory, i + 24)),
                   stored = wide.of(at<std::uint32_t>(directory, i + 20)),
                   local = wide.of(at<std::uint32_t>(directory, i + 42));
        if (at<std::uint16_t>(directory, i + 10) != 0 || whole != stored)
            throw InputError("it is compressed, which torch.save does not do");
        const auto header = read(file, local, kLocalSize, fileSize);
        if (!header.starts_with("PK\x03\x04")) throw InputError("its directory is damaged");
        const auto data = local + kLocalSize + at<std::uint16_t>(header, 26) + at<std::uint16_t>(header, 28);
        if (data > fileSize || stored > fileSize - data) throw InputError("it ends before " + name + " does");
        if (!entries.emplace(name, ZipEntry{data, stored}).second)
            throw InputError(name + " stands in it twice");
        i += kCentralSize + nameSize + extraSize + commentSize;
    }
    return entries;
}

}  // namespace dailies::trainer

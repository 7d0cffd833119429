#include "trainer/data/tar_writer.h"

#include "core/base/error.h"
#include "trainer/data/tar_blocks.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace dailies::trainer {

namespace {

constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 33) - 1;  // eleven octal digits

// fields of a header: POSIX.1-1988, pax "ustar Interchange Format"
constexpr std::size_t kNameBytes = 100, kModeAt = 100, kUserAt = 108, kGroupAt = 116, kSizeAt = 124,
                      kTimeAt = 136, kSumAt = 148, kTypeAt = 156, kMagicAt = 257;

std::array<char, kTarBlock> headerOf(const std::string& name, std::uint64_t bytes) {
    std::array<char, kTarBlock> header{};
    const auto octal = [&](std::size_t at, int digits, std::uint64_t number) {
        std::snprintf(header.data() + at, static_cast<std::size_t>(digits) + 1, "%0*llo", digits,
                      static_cast<unsigned long long>(number));
    };
    std::memcpy(header.data(), name.data(), name.size());
    octal(kModeAt, 7, 0644);
    octal(kUserAt, 7, 0);
    octal(kGroupAt, 7, 0);
    octal(kSizeAt, 11, bytes);
    octal(kTimeAt, 11, 0);
    header[kTypeAt] = '0';
    std::memcpy(header.data() + kMagicAt, "ustar\00000", 8);
    std::memset(header.data() + kSumAt, ' ', 8);
    const auto sum = std::accumulate(header.begin(), header.end(), std::uint64_t{0},
                                     [](auto all, char c) { return all + static_cast<unsigned char>(c); });
    octal(kSumAt, 6, sum);
    return header;
}

}  // namespace

TarWriter::TarWriter(std::filesystem::path file)
    : m_file(std::move(file)), m_out(BinaryFile::openForWrite(partFile())) {}

TarWriter::~TarWriter() {
    std::error_code ignored;
    if (!m_finished) std::filesystem::remove(partFile(), ignored);
}

std::filesystem::path TarWriter::partFile() const {
    return m_file.string() + ".part";
}

std::uint64_t TarWriter::bytesOf(std::uint64_t member) {
    return kTarBlock + toWholeTarBlocks(member);
}

void TarWriter::add(const std::string& name, std::string_view bytes) {
    if (name.size() > kNameBytes || bytes.size() > kMostBytes)
        throw Error(m_file.string() + ": " + name + " has too long a name, or too many bytes, for a tar.");
    const auto header = headerOf(name, bytes.size());
    m_out.write(header.data(), header.size());
    m_out.write(bytes.data(), bytes.size());
    const std::string zeros(toWholeTarBlocks(bytes.size()) - bytes.size(), '\0');
    m_out.write(zeros.data(), zeros.size());
    m_bytes += bytesOf(bytes.size());
}

void TarWriter::finish() {
    const std::string end(2 * kTarBlock, '\0');
    m_out.write(end.data(), end.size());
    m_out.flush();
    std::filesystem::rename(partFile(), m_file);
    m_finished = true;
    flushFolder(m_file.parent_path());
}

}  // namespace dailies::trainer

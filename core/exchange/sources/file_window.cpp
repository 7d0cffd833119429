#include "core/exchange/sources/file_window.h"

#include "core/base/error.h"

#include <algorithm>

namespace dailies::exchange {

namespace {

constexpr std::size_t kLeastMore = std::size_t{1} << 20;

}  // namespace

FileWindow::FileWindow(const std::filesystem::path& file) : m_file(file, std::ios::binary) {
    std::error_code problem;
    m_size = std::filesystem::file_size(file, problem);
    if (!m_file || problem) throw Error("Cannot read " + file.string() + ".", "Check its permissions.");
}

void FileWindow::consume(std::size_t bytes) {
    m_begin += bytes;
    m_offset += bytes;
}

bool FileWindow::readMore() {
    m_buffer.erase(0, m_begin);
    m_begin = 0;
    const auto held = m_buffer.size();
    // as much again as there is, so that one long record is not copied once a piece
    const auto wanted = std::min<std::uint64_t>(std::max(held, kLeastMore), left() - held);
    m_buffer.resize(held + static_cast<std::size_t>(wanted));
    m_file.read(m_buffer.data() + held, static_cast<std::streamsize>(wanted));
    m_buffer.resize(held + static_cast<std::size_t>(std::max<std::streamsize>(m_file.gcount(), 0)));
    return m_buffer.size() > held;
}

}  // namespace dailies::exchange

#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace dailies::exchange {

/// A file's bytes from a place on that moves forward, as many as are in memory: for formats whose readers
/// take bytes and say when they need more.
class FileWindow {
public:
    /// Throws `Error` when the file cannot be read.
    explicit FileWindow(const std::filesystem::path& file);

    std::string_view bytes() const { return std::string_view(m_buffer).substr(m_begin); }
    std::uint64_t offset() const { return m_offset; }         ///< of `bytes` in the file
    std::uint64_t left() const { return m_size - m_offset; }  ///< in the file, as large as it was at first

    void consume(std::size_t bytes);

    /// Makes `bytes` longer, which ends what was taken of it; false at the end of the file.
    bool readMore();

private:
    std::ifstream m_file;
    std::uint64_t m_size = 0, m_offset = 0;
    std::string m_buffer;
    std::size_t m_begin = 0;
};

}  // namespace dailies::exchange

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dailies::exchange {

/// A file written piece by piece that appears whole or not at all: a temporary file beside it until
/// `commit`, which flushes it to the disk and gives it its name. Without a commit nothing is left.
class OutputFile {
public:
    explicit OutputFile(std::filesystem::path path);  ///< missing parent folders are made
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes);
    void commit();

private:
    void flush();
    [[noreturn]] void fail() const;

    std::filesystem::path m_path;
    std::string m_temporary, m_buffer;
    int m_fd = -1;
};

}  // namespace dailies::exchange

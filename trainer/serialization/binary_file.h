#pragma once

#include <cstdint>
#include <filesystem>

namespace dailies::trainer {

/// A file of raw bytes, closed at the end of its life. Every failure is an `Error` with the path and the
/// system's reason. `readAt` may be called from any thread.
class BinaryFile {
public:
    static BinaryFile openForRead(const std::filesystem::path& path);
    static BinaryFile openForWrite(const std::filesystem::path& path);  ///< made anew

    ~BinaryFile();
    BinaryFile(const BinaryFile&) = delete;
    BinaryFile& operator=(const BinaryFile&) = delete;

    std::uint64_t size() const;
    void readAt(std::uint64_t offset, void* bytes, std::uint64_t count) const;
    void write(const void* bytes, std::uint64_t count);
    void flush() const;  ///< returns once the disk has the bytes

private:
    BinaryFile(const std::filesystem::path& path, int flags, const char* verb);
    [[noreturn]] void fail() const;

    std::filesystem::path m_path;
    const char* m_verb;
    int m_fd;
};

/// Makes the names of new files in a folder survive a power cut, where the file system can.
void flushFolder(const std::filesystem::path& folder);

}  // namespace dailies::trainer

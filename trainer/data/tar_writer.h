#pragma once

#include "trainer/serialization/binary_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dailies::trainer {

/// Writes a tar of files (POSIX ustar). Headers hold no time and no owner, so that the same files give the
/// same bytes. The tar has its name once it is finished; until then it is NAME.part, which is removed where
/// it never comes so far.
class TarWriter {
public:
    /// Throws `Error` when it cannot be written, as all of these do.
    explicit TarWriter(std::filesystem::path file);
    ~TarWriter();
    TarWriter(const TarWriter&) = delete;
    TarWriter& operator=(const TarWriter&) = delete;

    /// `name`: of 100 bytes at most, else an `Error`.
    void add(const std::string& name, std::string_view bytes);

    /// What a member of so many bytes takes of the tar.
    static std::uint64_t bytesOf(std::uint64_t member);
    std::uint64_t bytes() const { return m_bytes; }  ///< so far, without the tar's end

    /// Flushed to the disk and renamed.
    void finish();

private:
    std::filesystem::path partFile() const;

    std::filesystem::path m_file;
    BinaryFile m_out;
    std::uint64_t m_bytes = 0;
    bool m_finished = false;
};

}  // namespace dailies::trainer

#pragma once

#include "remote/ssh/connection.h"

#include <libssh/sftp.h>

#include <functional>
#include <memory>

namespace dailies::remote::ssh {

/// Files on the other side, over one SFTP channel of a connection. The meaning of each call is `Session`'s.
class Sftp {
public:
    explicit Sftp(Connection& connection);

    std::optional<FileStat> stat(const std::string& path);
    std::vector<FolderEntry> list(const std::string& folder);
    std::string read(const std::string& path, std::uint64_t offset, std::size_t maxBytes);
    std::string readAll(const std::string& path, std::size_t limit);
    void write(const std::string& path, std::string_view bytes, int mode);
    void makeFolders(const std::string& path);
    void remove(const std::string& path);
    void setMode(const std::string& path, int mode);
    void replace(const std::string& from, const std::string& to);  ///< renames over what is there, atomically

    /// What `stat` says, of a regular file: devices and pipes, which may be endless or block the server, are
    /// refused.
    FileStat statRegular(const std::string& path);
    using Sink = std::function<void(std::string_view bytes)>;
    /// Hands over `length` bytes from `offset` in order, many requests ahead; fewer when the file is shorter
    /// by now.
    void stream(const std::string& path, std::uint64_t offset, std::uint64_t length, const Sink& sink,
                const std::stop_token& stop);

private:
    struct FileCloser {
        void operator()(sftp_file file) const { sftp_close(file); }
    };
    using File = std::unique_ptr<sftp_file_struct, FileCloser>;

    Watchdog::Watch watched(const std::stop_token& stop = {});
    std::optional<FileStat> find(const std::string& path);
    void makeFoldersDown(const std::string& path);
    void readRange(const File& file, const std::string& path, std::uint64_t offset, std::uint64_t length,
                   const Sink& sink, const std::stop_token& stop);
    void writeNew(const std::string& path, std::string_view bytes, int mode);
    [[noreturn]] void fail(const std::string& verb, const std::string& path);

    Connection& m_connection;
    std::unique_ptr<sftp_session_struct, decltype(&sftp_free)> m_sftp;
};

}  // namespace dailies::remote::ssh

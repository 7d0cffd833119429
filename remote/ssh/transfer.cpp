#include "remote/ssh/transfer.h"

#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "remote/ssh/exec.h"
#include "remote/ssh/stream.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace dailies::remote::ssh {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 256 << 10;

/// A local file that grows at its end.
class GrowingFile {
public:
    explicit GrowingFile(fs::path path)
        : m_path(std::move(path)),
          m_fd(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) {
        if (m_fd < 0) fail();
        m_size = static_cast<std::uint64_t>(::lseek(m_fd, 0, SEEK_END));
    }
    ~GrowingFile() { ::close(m_fd); }
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;

    std::uint64_t size() const { return m_size; }

    void append(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto count = ::write(m_fd, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail();
            m_size += static_cast<std::uint64_t>(count);
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
    }

    void sync() {
        if (::fsync(m_fd) != 0) fail();
    }

private:
    [[noreturn]] void fail() const {
        throw Error("Cannot write " + m_path.string() + ": " + std::strerror(errno) + ".");
    }

    fs::path m_path;
    int m_fd;
    std::uint64_t m_size = 0;
};

/// The partial file of a download. Partial files of other states are removed.
fs::path partialFile(const fs::path& local, const FileStat& remote) {
    const auto name = local.filename().string() + ".";
    const auto wanted = partialName(local.filename().string(), remote);
    for (const auto& entry : fs::directory_iterator(local.parent_path())) {
        const auto found = entry.path().filename().string();
        if (found.starts_with(name) && found.ends_with(".part") && found != wanted) fs::remove(entry.path());
    }
    return local.parent_path() / wanted;
}

bool isSame(const FileStat& a, const FileStat& b) {
    return a.size == b.size && a.modified == b.modified;
}

/// They read names from their input, so that no shell ever parses them; every login shell reads these lines
/// alike.
constexpr const char* kReceive =
    "exec /bin/sh -c 'echo dailies-transfers; IFS= read -r file && exec cat >> \"$file\"'";
constexpr const char* kSend =
    "exec /bin/sh -c 'IFS= read -r file; IFS= read -r from; echo dailies-transfers; "
    "[ \"$from\" = 1 ] && exec cat -- \"$file\"; exec tail -c \"+$from\" -- \"$file\"'";
/// Which of these programs a cluster has differs; "" where it has none.
constexpr std::string_view kHash =
    "{ sha256sum <\"$file\" || shasum -a 256 <\"$file\" || openssl dgst -sha256 -r <\"$file\"; } "
    "2>/dev/null\ntrue\n";

void requireOneLine(const std::string& remote) {
    if (remote.find('\n') != std::string::npos)
        throw InputError("A remote file's name cannot hold a line end.",
                         "Give it another name, or copy the folder that holds it.");
}

/// Appends what `remote` holds from the file's end on, up to `size`.
void receive(Connection& connection, const std::string& remote, GrowingFile& file, std::uint64_t size,
             const std::stop_token& stop, const std::function<void()>& report) {
    Stream stream(connection, kSend, stop);
    stream.write(remote + "\n" + std::to_string(file.size() + 1) + "\n");
    stream.sendEof();
    stream.awaitReady();
    const auto take = [&](std::string_view bytes) {
        file.append(bytes.substr(0, size - file.size()));  // it may have grown since it was looked at
        report();
    };
    take(stream.buffered);
    std::string buffer(kReadAhead, '\0');
    while (file.size() < size) {
        const auto count = stream.read(buffer);
        if (count == 0) break;
        take(std::string_view(buffer).substr(0, count));
    }
    if (file.size() < size)
        if (const auto why = stream.errorOutput(); !why.empty())
            throw transferError("read", remote, connection, why);
}

void send(Connection& connection, std::ifstream& file, const std::string& remote, const std::stop_token& stop,
          const std::function<void(std::size_t)>& report) {
    Stream stream(connection, kReceive, stop);
    // A receiver that has not started does not read, and bytes that wait for it look like a dead connection.
    stream.awaitReady();
    try {
        stream.write(remote + "\n");
        std::string piece(kPiece, '\0');
        while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0) {
            stream.write(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
            report(static_cast<std::size_t>(file.gcount()));
        }
        stream.sendEof();
    } catch (const SessionError& e) {
        if (e.failure() != Failure::Remote) throw;
        throw transferError("write", remote, connection,
                            stream.errorOutput());  // which is why it stopped reading
    }
    if (stream.finish() != 0) throw transferError("write", remote, connection, stream.errorOutput());
}

/// Whether both files are the same; also where the other side has no program that could tell.
bool isCopy(Connection& connection, const fs::path& local, const std::string& remote,
            const std::stop_token& stop) {
    const auto answer = runScript(connection, "file=" + shellQuote(remote) + "\n" + std::string(kHash), stop);
    const auto there = std::string(trim(answer.out)).substr(0, 64);
    return there.empty() || there == sha256OfFile(local, stop);
}

/// Of an upload: beside the remote file, told apart by which state of which local file it is a part of.
std::string partialUpload(const fs::path& local, const std::string& remote) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    Sha256 hash;
    hash.add(std::string(host.data()) + "\n" + fs::absolute(local).string() + "\n" +
             std::to_string(fs::file_size(local)) + "\n" +
             std::to_string(fs::last_write_time(local).time_since_epoch().count()));
    return remote + "." + hash.hex(12) + ".part";
}

}  // namespace

std::string partialName(const std::string& file, const FileStat& remote) {
    return file + "." + std::to_string(remote.size) + "-" + std::to_string(remote.modified) + ".part";
}

void download(Connection& connection, Sftp& sftp, const std::string& remote, const fs::path& local,
              const std::stop_token& stop, const TransferProgress& progress) {
    requireOneLine(remote);
    const auto target = fs::absolute(local);
    const auto before = sftp.statRegular(remote);
    std::error_code failure;
    fs::create_directories(target.parent_path(), failure);
    if (failure)
        throw Error("Cannot make the folder " + target.parent_path().string() + ": " + failure.message() +
                    ".");
    const auto partial = partialFile(target, before);
    {
        GrowingFile file(partial);
        const bool resumed = file.size() > 0;
        const auto report = [&] {
            if (progress) progress(file.size(), before.size);
        };
        report();
        if (file.size() < before.size) receive(connection, remote, file, before.size, stop, report);
        file.sync();
        if (file.size() != before.size || !isSame(sftp.statRegular(remote), before) ||
            (resumed && !isCopy(connection, partial, remote, stop))) {
            fs::remove(partial);
            throw SessionError(
                Failure::Remote,
                sanitizedText(remote) + " on " + connection.host() + " was changed while it was copied.",
                "Try again when nothing writes to it.");
        }
    }
    fs::rename(partial, target);
}

void upload(Connection& connection, Sftp& sftp, const fs::path& local, const std::string& remote, int mode,
            const std::stop_token& stop, const TransferProgress& progress) {
    requireOneLine(remote);
    std::ifstream file(local, std::ios::binary);
    if (!file) throw Error("Cannot read " + local.string() + ": " + std::strerror(errno) + ".");
    const auto size = fs::file_size(local);
    const auto partial = partialUpload(local, remote);
    auto there = sftp.stat(partial);
    if (!there) {
        const auto slash = remote.find_last_of('/');
        if (slash != std::string::npos && slash > 0) sftp.makeFolders(remote.substr(0, slash));
    }
    try {
        if (there && there->size > size) {
            sftp.remove(partial);
            there.reset();
        }
        std::uint64_t done = there ? there->size : 0;
        file.seekg(static_cast<std::streamoff>(done));
        const auto report = [&](std::size_t more) {
            done += more;
            if (progress) progress(done, size);
        };
        report(0);
        send(connection, file, partial, stop, report);
        const auto arrived = sftp.stat(partial);
        if (!arrived || arrived->size != size || (there && !isCopy(connection, local, partial, stop)))
            throw SessionError(Failure::Remote,
                               sanitizedText(remote) + " did not arrive whole on " + connection.host() + ".",
                               "Check that its disk is not full, and try again.");
        sftp.setMode(partial, mode);
        sftp.replace(partial, remote);
    } catch (const SessionError& e) {
        // What arrived before the connection broke is of use to the next try.
        if (e.failure() == Failure::Remote && connection.connected()) {
            try {
                sftp.remove(partial);
            } catch (const SessionError&) {
                // the first failure is the one to report
            }
        }
        throw;
    }
}

}  // namespace dailies::remote::ssh

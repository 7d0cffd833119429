#include "remote/ssh/transfer.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "remote/ssh/exec.h"

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

constexpr std::chrono::milliseconds kStopPatience{400};
constexpr std::chrono::milliseconds kTick{50};
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

/// The partial file of a download. Its name holds size and time of the remote file, so that only a download
/// of the very same state goes on where an earlier one ended. Partial files of other states are removed.
fs::path partialFile(const fs::path& local, const FileStat& remote) {
    const auto name = local.filename().string() + ".";
    const auto wanted = name + std::to_string(remote.size) + "-" + std::to_string(remote.modified) + ".part";
    for (const auto& entry : fs::directory_iterator(local.parent_path())) {
        const auto found = entry.path().filename().string();
        if (found.starts_with(name) && found.ends_with(".part") && found != wanted) fs::remove(entry.path());
    }
    return local.parent_path() / wanted;
}

bool isSame(const FileStat& a, const FileStat& b) {
    return a.size == b.size && a.modified == b.modified;
}

/// What the receiver prints once the login shell has let it start.
constexpr std::string_view kReady = "dailies-receives\n";
/// Reads the name of a file from the first line, so that no shell ever parses it; every login shell reads
/// this alike.
constexpr const char* kReceive =
    "exec /bin/sh -c 'echo dailies-receives; IFS= read -r file && exec cat > \"$file\"'";

void send(Connection& connection, std::ifstream& file, const std::string& remote,
          const std::stop_token& stop) {
    auto watch = std::make_optional<Watchdog::Watch>(connection.watchdog(), connection.silenceLimit(), stop,
                                                     kStopPatience);
    const auto rewatch = [&] {
        watch.emplace(connection.watchdog(), connection.silenceLimit(), stop, kStopPatience);
    };
    Channel channel(connection, kReceive);
    std::string out, err;
    const auto giveUp = [&] {
        throw SessionError(Failure::Remote, "Cannot write " + inertText(remote) + " on " + connection.host() +
                                                ": " + inertText(trim(err)) + ".");
    };
    watch.reset();
    // A receiver that has not started does not read, and bytes that wait for it look like a dead connection.
    listen(connection, channel, out, err, stop, [&] { return out.find(kReady) != std::string::npos; });
    rewatch();
    try {
        channel.write(remote + "\n");
        std::string piece(kPiece, '\0');
        while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0) {
            if (stop.stop_requested()) throw Cancelled();
            channel.write(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
        }
        channel.finishInput();
    } catch (const SessionError& e) {
        if (e.failure() != Failure::Remote) throw;
        while (channel.collect(out, err, kTick)) {
        }
        giveUp();  // with what the other side said, which is why it stopped reading
    }
    watch.reset();
    listen(connection, channel, out, err, stop, [] { return false; });
    rewatch();
    if (channel.waitForExit() != 0) giveUp();
}

}  // namespace

void download(Connection& connection, Sftp& sftp, const std::string& remote, const fs::path& local,
              const std::stop_token& stop, const TransferProgress& progress) {
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
        const auto report = [&] {
            if (progress) progress(file.size(), before.size);
        };
        report();
        sftp.stream(
            remote, file.size(), before.size - std::min(file.size(), before.size),
            [&](std::string_view bytes) {
                file.append(bytes);
                report();
            },
            stop);
        if (file.size() != before.size || !isSame(sftp.statRegular(remote), before)) {
            fs::remove(partial);
            throw SessionError(
                Failure::Remote,
                inertText(remote) + " on " + connection.host() + " was changed while it was copied.",
                "Try again when nothing writes to it.");
        }
        file.sync();
    }
    fs::rename(partial, target);
}

void upload(Connection& connection, Sftp& sftp, const fs::path& local, const std::string& remote, int mode,
            const std::stop_token& stop) {
    std::ifstream file(local, std::ios::binary);
    if (!file) throw Error("Cannot read " + local.string() + ": " + std::strerror(errno) + ".");
    if (remote.find('\n') != std::string::npos)
        throw InputError("A remote file's name cannot hold a line end.");
    const auto slash = remote.find_last_of('/');
    if (slash != std::string::npos && slash > 0) sftp.makeFolders(remote.substr(0, slash));
    const auto temporary = remote + "." + newId().substr(0, 8) + ".tmp";
    try {
        send(connection, file, temporary, stop);
        const auto size = fs::file_size(local);
        if (const auto arrived = sftp.stat(temporary); !arrived || arrived->size != size)
            throw SessionError(Failure::Remote,
                               inertText(remote) + " did not arrive whole on " + connection.host() + ".",
                               "Check that its disk is not full.");
        sftp.setMode(temporary, mode);
        sftp.replace(temporary, remote);
    } catch (...) {
        if (connection.connected()) {
            try {
                sftp.remove(temporary);
            } catch (const SessionError&) {
                // the first failure is the one to report
            }
        }
        throw;
    }
}

}  // namespace dailies::remote::ssh

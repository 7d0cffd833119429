#include "remote/ssh/sftp.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "remote/ssh/exec.h"
#include "remote/ssh/watchdog.h"

#include <algorithm>
#include <deque>
#include <fcntl.h>

namespace dailies::remote::ssh {

namespace {

/// One read request. Servers may answer with less than was asked (OpenSSH above 255 KiB), never with more
/// than this.
constexpr std::uint32_t kReadSize = 32 << 10;
/// Requests on their way at once: 2 MiB, more than libssh's receive window lets through anyway.
constexpr std::size_t kReadsAhead = 64;
constexpr std::size_t kWriteSize = 128 << 10;

using AttributesPointer = std::unique_ptr<sftp_attributes_struct, decltype(&sftp_attributes_free)>;

AttributesPointer own(sftp_attributes attributes) {
    return {attributes, &sftp_attributes_free};
}

FileStat toStat(const sftp_attributes_struct& attributes) {
    return {attributes.size, static_cast<std::int64_t>(attributes.mtime),
            attributes.type == SSH_FILEXFER_TYPE_DIRECTORY, attributes.type == SSH_FILEXFER_TYPE_REGULAR};
}

std::string reason(int code) {
    switch (code) {
        case SSH_FX_NO_SUCH_FILE:
        case SSH_FX_NO_SUCH_PATH:
            return "there is no such file or folder";
        case SSH_FX_PERMISSION_DENIED:
        case SSH_FX_WRITE_PROTECT:
            return "permission denied";
        case SSH_FX_FILE_ALREADY_EXISTS:
            return "it exists already";
        case SSH_FX_FAILURE:
            return "the server refused; is the disk full, or a quota used up?";
        default:
            return "SFTP error " + std::to_string(code);
    }
}

bool isMissing(int code) {
    return code == SSH_FX_NO_SUCH_FILE || code == SSH_FX_NO_SUCH_PATH;
}

std::string parentOf(const std::string& path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

bool isSafeName(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

/// SFTP goes through the login shell, too: what its start-up files print breaks the protocol.
[[noreturn]] void failToStart(Connection& connection) {
    if (!connection.startupOutput() && connection.connected()) runScript(connection, "true", {});
    const auto noise = connection.startupOutput().value_or("");
    if (noise.empty()) connection.fail("The server does not support SFTP");
    constexpr std::size_t kShown = 100;
    const auto shown = sanitizedText(trim(noise)).substr(0, kShown);
    throw SessionError(Failure::Remote,
                       "SFTP does not work on " + connection.host() + ": the shell's start-up files print " +
                           (shown.empty() ? "an empty line." : "\"" + shown + "\"."),
                       "`" + connection.trialCommand() +
                           "` must print nothing: let ~/.bashrc and its like print only in interactive "
                           "shells ([[ $- == *i* ]]).");
}

}  // namespace

Sftp::Sftp(Connection& connection) : m_connection(connection), m_sftp(nullptr, &sftp_free) {
    connection.requireConnected();
    auto watch = std::make_optional<Watchdog::Watch>(connection.watchdog(), connection.idleTimeout());
    m_sftp.reset(sftp_new(connection.handle()));
    if (m_sftp && sftp_init(m_sftp.get()) == SSH_OK) return;
    watch.reset();
    failToStart(connection);
}

void Sftp::fail(const std::string& verb, const std::string& path) {
    if (!m_connection.connected()) m_connection.fail(verb);
    const int code = sftp_get_error(m_sftp.get());
    const auto what = "Cannot " + verb + " " + sanitizedText(path) + " on " + m_connection.host();
    if (code == SSH_FX_OK) m_connection.fail(what);
    throw SessionError(Failure::Remote, what + ": " + reason(code) + ".");
}

Watchdog::Watch Sftp::watched(const std::stop_token& stop) {
    m_connection.requireConnected();
    return {m_connection.watchdog(), m_connection.idleTimeout(), stop, kStopPatience};
}

std::optional<FileStat> Sftp::find(const std::string& path) {
    const auto attributes = own(sftp_stat(m_sftp.get(), path.c_str()));
    if (attributes) return toStat(*attributes);
    if (m_connection.connected() && isMissing(sftp_get_error(m_sftp.get()))) return std::nullopt;
    fail("look at", path);
}

std::optional<FileStat> Sftp::stat(const std::string& path) {
    const auto watch = watched();
    return find(path);
}

FileStat Sftp::statRegular(const std::string& path) {
    const auto watch = watched();
    const auto attributes = own(sftp_stat(m_sftp.get(), path.c_str()));
    if (!attributes) fail("read", path);
    if (attributes->type != SSH_FILEXFER_TYPE_REGULAR)
        throw SessionError(Failure::Remote,
                           sanitizedText(path) + " on " + m_connection.host() + " is not a file.");
    return toStat(*attributes);
}

std::vector<FolderEntry> Sftp::list(const std::string& folder) {
    const auto watch = watched();
    const std::unique_ptr<sftp_dir_struct, decltype(&sftp_closedir)> handle(
        sftp_opendir(m_sftp.get(), folder.c_str()), &sftp_closedir);
    if (!handle) fail("list", folder);
    std::vector<FolderEntry> entries;
    while (const auto attributes = own(sftp_readdir(m_sftp.get(), handle.get())))
        if (std::string name = attributes->name ? attributes->name : ""; isSafeName(name))
            entries.push_back({std::move(name), toStat(*attributes)});
    if (!sftp_dir_eof(handle.get())) fail("list", folder);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
}

void Sftp::readRange(const File& file, const std::string& path, std::uint64_t offset, std::uint64_t length,
                     const Sink& sink, const std::stop_token& stop) {
    struct Request {
        std::uint32_t id;
        std::uint32_t size;
    };
    std::deque<Request> pending;
    std::string buffer(kReadSize, '\0');
    const std::uint64_t end = offset + length;
    std::uint64_t asked = offset, received = offset;
    const auto ask = [&](std::uint64_t from) {
        const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(kReadSize, end - from));
        sftp_seek64(file.get(), from);
        const int id = sftp_async_read_begin(file.get(), size);
        if (id < 0) fail("read", path);
        return Request{static_cast<std::uint32_t>(id), size};
    };
    const auto answer = [&](const Request& request) {
        const int count = sftp_async_read(file.get(), buffer.data(), request.size, request.id);
        if (count < 0) fail("read", path);
        sink(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
        received += static_cast<std::uint64_t>(count);
        return static_cast<std::uint32_t>(count);
    };
    while (received < end) {
        if (stop.stop_requested()) throw Cancelled();  // libssh drops what still arrives
        while (pending.size() < kReadsAhead && asked < end) {
            pending.push_back(ask(asked));
            asked += pending.back().size;
        }
        const auto request = pending.front();
        pending.pop_front();
        // A short answer is the file's end, or all that the server gives at once: the rest is asked for again
        // right away, so that bytes reach the sink in order.
        for (auto missing = request.size - answer(request); missing > 0;) {
            const auto count = answer(ask(received));
            if (count == 0)
                return;  // the file has become shorter; nothing that was asked behind it has bytes
            missing -= std::min(count, missing);
        }
    }
}

void Sftp::stream(const std::string& path, std::uint64_t offset, std::uint64_t length, const Sink& sink,
                  const std::stop_token& stop) {
    const auto watch = watched(stop);
    const File file(sftp_open(m_sftp.get(), path.c_str(), O_RDONLY, 0));
    if (!file) fail("read", path);
    readRange(file, path, offset, length, sink, stop);
}

std::string Sftp::read(const std::string& path, std::uint64_t offset, std::size_t maxBytes) {
    const auto size = statRegular(path).size;
    if (offset >= size || maxBytes == 0) return {};
    std::string bytes;
    const auto length = std::min<std::uint64_t>(size - offset, maxBytes);
    bytes.reserve(length);
    stream(path, offset, length, [&bytes](std::string_view piece) { bytes += piece; }, {});
    return bytes;
}

std::string Sftp::readAll(const std::string& path, std::size_t limit) {
    const auto size = statRegular(path).size;
    if (size > limit)
        throw SessionError(Failure::Remote, sanitizedText(path) + " on " + m_connection.host() + " has " +
                                                std::to_string(size) + " bytes, more than the " +
                                                std::to_string(limit) + " that are expected there.");
    return read(path, 0, limit);
}

void Sftp::write(const std::string& path, std::string_view bytes, int mode) {
    const auto temporary = path + "." + newId().substr(0, 8) + ".tmp";
    try {
        writeNew(temporary, bytes, mode);
        replace(temporary, path);
    } catch (const SessionError&) {
        if (m_connection.connected()) remove(temporary);
        throw;
    }
}

void Sftp::writeNew(const std::string& path, std::string_view bytes, int mode) {
    const auto watch = watched();
    const auto create = [&] {
        return sftp_open(m_sftp.get(), path.c_str(), O_WRONLY | O_CREAT | O_EXCL, static_cast<mode_t>(mode));
    };
    File file(create());
    if (!file && isMissing(sftp_get_error(m_sftp.get()))) {
        makeFoldersDown(parentOf(path));
        file.reset(create());
    }
    if (!file) fail("write", path);
    while (!bytes.empty()) {
        const auto size = std::min(bytes.size(), kWriteSize);
        const auto count = sftp_write(file.get(), bytes.data(), size);
        if (count <= 0) fail("write", path);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    if (sftp_extension_supported(m_sftp.get(), "fsync@openssh.com", "1") && sftp_fsync(file.get()) != SSH_OK)
        fail("write", path);
    if (sftp_close(file.release()) != SSH_OK) fail("write", path);  // where a full quota shows on NFS
    if (sftp_chmod(m_sftp.get(), path.c_str(), static_cast<mode_t>(mode)) != SSH_OK)
        fail("set the mode of", path);
}

void Sftp::makeFolders(const std::string& path) {
    const auto watch = watched();
    makeFoldersDown(path);
}

void Sftp::makeFoldersDown(const std::string& path) {
    if (const auto found = find(path)) {
        if (found->isFolder) return;
        throw SessionError(Failure::Remote,
                           sanitizedText(path) + " on " + m_connection.host() + " is a file, not a folder.");
    }
    if (path == "/" || path.empty()) return;
    makeFoldersDown(parentOf(path));
    // Somebody else may have made it meanwhile.
    if (sftp_mkdir(m_sftp.get(), path.c_str(), 0755) != SSH_OK) {
        const int code = sftp_get_error(m_sftp.get());
        if (!m_connection.connected() || !find(path))
            throw SessionError(m_connection.connected() ? Failure::Remote : Failure::Lost,
                               "Cannot make the folder " + sanitizedText(path) + " on " +
                                   m_connection.host() + ": " + reason(code) + ".",
                               "Choose a folder that you may write to.");
    }
}

void Sftp::remove(const std::string& path) {
    const auto watch = watched();
    if (sftp_unlink(m_sftp.get(), path.c_str()) == SSH_OK) return;
    if (m_connection.connected() && isMissing(sftp_get_error(m_sftp.get()))) return;
    fail("remove", path);
}

void Sftp::setMode(const std::string& path, int mode) {
    const auto watch = watched();
    if (sftp_chmod(m_sftp.get(), path.c_str(), static_cast<mode_t>(mode)) != SSH_OK)
        fail("set the mode of", path);
}

void Sftp::replace(const std::string& from, const std::string& to) {
    {
        const auto watch = watched();
        if (sftp_rename(m_sftp.get(), from.c_str(), to.c_str()) == SSH_OK) return;
        if (!m_connection.connected()) fail("write", to);
    }
    // SFTP's own rename refuses a name that is taken, and libssh 0.10 does not speak
    // posix-rename@openssh.com.
    const auto moved = runScript(m_connection, "mv -fT -- " + shellQuote(from) + " " + shellQuote(to), {});
    if (!moved.ok())
        throw SessionError(Failure::Remote, "Cannot write " + sanitizedText(to) + " on " +
                                                m_connection.host() + ": " + sanitizedText(trim(moved.err)));
}

}  // namespace dailies::remote::ssh

#include "remote/ssh/tar_transfer.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "remote/ssh/exec.h"
#include "remote/ssh/stream.h"
#include "remote/ssh/tree.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <unistd.h>
#include <utility>

namespace dailies::remote::ssh {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTarPiece = 256 << 10;

/// Links are followed, devices and pipes are headers without content, and a second name of a file is a file
/// of its own.
constexpr std::string_view kPack =
    "tar --null --no-recursion --hard-dereference --format=gnu -b 64 -chf - -T - 2>/dev/null\n";
/// Every login shell reads this line alike; the folder comes on standard input, so that none parses it.
constexpr const char* kUnpack =
    "exec /bin/sh -c 'echo dailies-transfers; IFS= read -r folder && mkdir -p -- \"$folder\" && "
    "cd -- \"$folder\" && exec tar -xof -'";

/// A local file under a passing name, until it is given its own.
class ArrivingFile {
public:
    explicit ArrivingFile(fs::path target)
        : m_target(std::move(target)), m_path(m_target.string() + "." + newId().substr(0, 8) + ".part") {
        m_fd = ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (m_fd < 0) fail();
    }
    ~ArrivingFile() {
        if (m_fd >= 0) ::close(m_fd);
        if (!m_kept) ::unlink(m_path.c_str());
    }
    ArrivingFile(const ArrivingFile&) = delete;
    ArrivingFile& operator=(const ArrivingFile&) = delete;

    void append(std::string_view bytes) {
        m_hash.add(bytes);
        while (!bytes.empty()) {
            const auto count = ::write(m_fd, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail();
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    /// No more bytes come.
    void finish() {
        if (::close(std::exchange(m_fd, -1)) != 0) fail();
        m_digits = m_hash.hex();
    }
    bool finished() const { return m_fd < 0; }
    const std::string& hash() const { return m_digits; }
    void keep() {
        fs::rename(m_path, m_target);
        m_kept = true;
    }

private:
    [[noreturn]] void fail() const {
        throw Error("Cannot write " + m_path.string() + ": " + std::strerror(errno) + ".",
                    "Free some space, or make its folder writable.");
    }

    fs::path m_target, m_path;
    Sha256 m_hash;
    std::string m_digits;
    int m_fd = -1;
    bool m_kept = false;
};

/// libarchive at the end of a stream. What fails below it is kept until its C code has returned.
class TarReader {
public:
    explicit TarReader(Stream& stream)
        : m_stream(stream), m_buffer(kReadAhead, '\0'), m_archive(archive_read_new(), &archive_read_free) {
        archive_read_support_format_tar(m_archive.get());
        check(archive_read_open(m_archive.get(), this, nullptr, &TarReader::read, nullptr));
    }

    /// nullptr at the end.
    archive_entry* next() {
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(m_archive.get(), &entry);
        if (status == ARCHIVE_EOF) return nullptr;
        check(status);
        return entry;
    }
    /// The entry's bytes in turn; "" at its end.
    std::string_view content() {
        const void* bytes = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int status = archive_read_data_block(m_archive.get(), &bytes, &size, &offset);
        if (status == ARCHIVE_EOF) return {};
        check(status);
        return {static_cast<const char*>(bytes), size};
    }

private:
    static la_ssize_t read(archive* self, void* reader, const void** bytes) {
        auto& mine = *static_cast<TarReader*>(reader);
        try {
            if (!mine.m_stream.buffered.empty()) {
                mine.m_buffer.replace(0, mine.m_stream.buffered.size(), mine.m_stream.buffered);
                const auto size = mine.m_stream.buffered.size();
                mine.m_stream.buffered.clear();
                *bytes = mine.m_buffer.data();
                return static_cast<la_ssize_t>(size);
            }
            const auto size = mine.m_stream.read(mine.m_buffer);
            *bytes = mine.m_buffer.data();
            return static_cast<la_ssize_t>(size);
        } catch (...) {
            mine.m_failure = std::current_exception();
            archive_set_error(self, EIO, "the connection failed");
            return -1;
        }
    }
    void check(int status) {
        if (m_failure) std::rethrow_exception(m_failure);
        if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
        const char* why = archive_error_string(m_archive.get());
        throw SessionError(
            Failure::Remote,
            "The received archive is corrupt (" + sanitizedText(why ? why : "no reason") + ").",
            "Try again.");
    }

    Stream& m_stream;
    std::string m_buffer;
    std::exception_ptr m_failure;
    std::unique_ptr<archive, decltype(&archive_read_free)> m_archive;
};

/// libarchive at the beginning of a stream.
class TarWriter {
public:
    explicit TarWriter(Stream& stream)
        : m_stream(stream), m_archive(archive_write_new(), &archive_write_free) {
        check(archive_write_set_format_gnutar(m_archive.get()));
        check(archive_write_set_bytes_per_block(m_archive.get(), 32 << 10));
        check(archive_write_open(m_archive.get(), this, nullptr, &TarWriter::write, nullptr));
    }

    void begin(const std::string& name, std::uint64_t size) {
        const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                                  &archive_entry_free);
        archive_entry_set_pathname(entry.get(), ("./" + name).c_str());
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_mtime(entry.get(), ::time(nullptr), 0);
        check(archive_write_header(m_archive.get(), entry.get()));
    }
    void append(std::string_view bytes) {
        check(archive_write_data(m_archive.get(), bytes.data(), bytes.size()));
    }
    void end() { check(archive_write_close(m_archive.get())); }

private:
    static la_ssize_t write(archive* self, void* writer, const void* bytes, std::size_t size) {
        auto& mine = *static_cast<TarWriter*>(writer);
        if (mine.m_failure) return -1;  // it is closed all the same
        try {
            mine.m_stream.write({static_cast<const char*>(bytes), size});
            return static_cast<la_ssize_t>(size);
        } catch (...) {
            mine.m_failure = std::current_exception();
            archive_set_error(self, EIO, "the connection failed");
            return -1;
        }
    }
    void check(la_ssize_t status) {
        if (m_failure) std::rethrow_exception(m_failure);
        if (status >= ARCHIVE_OK || status == ARCHIVE_WARN) return;
        const char* why = archive_error_string(m_archive.get());
        throw Error(std::string("The files could not be packed: ") + (why ? why : "unknown reason") + ".");
    }

    Stream& m_stream;
    std::exception_ptr m_failure;
    std::unique_ptr<archive, decltype(&archive_write_free)> m_archive;
};

std::vector<std::string> namesOf(const std::vector<BatchFile>& files) {
    std::vector<std::string> names;
    for (const auto& file : files) {
        if (!isSafeRelativePath(file.name))
            throw InputError("'" + sanitizedText(file.name) + "' is not a valid relative file name.");
        names.push_back(file.name);
    }
    return names;
}

/// What the other side says the files' hashes are, found while the files themselves are on their way.
class Hashing {
public:
    Hashing(Connection& connection, const std::string& script)
        : m_connection(connection), m_channel(connection, "exec /bin/sh -s") {
        m_channel.write("(\n" + script + ") </dev/null\n");
        m_channel.sendEof();
    }
    /// Takes what has been said so far.
    void collect() { m_channel.collect(m_out, m_err, std::chrono::milliseconds(0)); }
    /// Waits for all of it. No Watch may live.
    void collectAll(const std::stop_token& stop) {
        readUntil(m_connection, m_channel, m_out, m_err, stop, [] { return false; });
        m_complete = true;
    }
    /// What came since the last call: whole lines only.
    std::map<std::string, std::string> news() {
        const auto end = m_out.rfind('\n') + 1;  // 0 where there is none
        auto hashes = parseHashes(m_out.substr(0, end));
        m_out.erase(0, end);
        return hashes;
    }
    bool isComplete() const { return m_complete; }

private:
    Connection& m_connection;
    Channel m_channel;
    std::string m_out, m_err;
    bool m_complete = false;
};

/// The files of one batch on their way here: each gets its name when it is whole and its hash is known, so
/// that what had come before the connection broke need not come again.
class Arriving {
public:
    explicit Arriving(const std::vector<BatchFile>& files)
        : m_files(files), m_parts(files.size()), m_arrivals(files.size(), TransferResult::Missing) {
        for (std::size_t i = 0; i < files.size(); ++i) m_wanted[files[i].name] = i;
    }

    /// Where an entry's bytes go; nullptr for what is not to be written. Whatever the other side calls what
    /// it sends: only what was asked for is written, once, where the caller said.
    ArrivingFile* begin(archive_entry* entry) {
        const char* path = archive_entry_pathname(entry);
        const auto at = m_wanted.find(path && std::string_view(path).starts_with("./") ? path + 2 : "");
        if (at == m_wanted.end() || m_parts[at->second] ||
            m_arrivals[at->second] != TransferResult::Missing || archive_entry_hardlink(entry) ||
            archive_entry_filetype(entry) != AE_IFREG)
            return nullptr;
        const auto& file = m_files[at->second];
        if (archive_entry_size(entry) != static_cast<la_int64_t>(file.size)) {
            m_arrivals[at->second] = TransferResult::Changed;
            return nullptr;
        }
        return (m_parts[at->second] = std::make_unique<ArrivingFile>(file.local)).get();
    }

    void settle(Hashing& hashing) {
        m_hashes.merge(hashing.news());
        for (auto at = m_hashes.begin(); at != m_hashes.end();) {
            const auto wanted = m_wanted.find(at->first);
            const bool known =
                wanted != m_wanted.end() && m_parts[wanted->second] && m_parts[wanted->second]->finished();
            if (known) settle(wanted->second, at->second);
            at = known ? m_hashes.erase(at) : std::next(at);
        }
        if (!hashing.isComplete()) return;
        for (std::size_t i = 0; i < m_parts.size(); ++i)
            if (m_parts[i]) settle(i, m_anyHash ? std::string() : m_parts[i]->hash());
    }

    const std::vector<TransferResult>& arrivals() const { return m_arrivals; }

private:
    void settle(std::size_t i, const std::string& hash) {
        m_anyHash = true;
        const bool same = m_parts[i]->hash() == hash;
        if (same) m_parts[i]->keep();
        m_arrivals[i] = same ? TransferResult::Complete : TransferResult::Changed;
        m_parts[i].reset();
    }

    const std::vector<BatchFile>& m_files;
    std::map<std::string, std::size_t> m_wanted;
    std::vector<std::unique_ptr<ArrivingFile>> m_parts;
    std::vector<TransferResult> m_arrivals;
    std::map<std::string, std::string> m_hashes;  ///< of files that are still on their way
    bool m_anyHash = false;  ///< false at the end: the other side has no program that could tell
};

/// The files' bytes are on the disk before anybody is told that the files are there.
void syncFolder(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::syncfs(fd);
    ::close(fd);
}

}  // namespace

std::vector<TransferResult> downloadBatch(Connection& connection, const std::string& folder,
                                          const std::vector<BatchFile>& files, const std::stop_token& stop,
                                          const Session::TransferProgress& progress) {
    if (files.empty()) return {};
    const auto names = namesOf(files);
    for (const auto& file : files) {
        const auto parent = fs::absolute(file.local).parent_path();
        std::error_code failure;
        fs::create_directories(parent, failure);
        if (failure)
            throw Error("Cannot make the folder " + parent.string() + ": " + failure.message() + ".",
                        "Choose a folder that you may write to.");
    }
    const auto enter = enterFolder(folder);
    Arriving arriving(files);
    std::optional<Hashing> hashing;
    {
        Stream stream(connection, "exec /bin/sh -s", stop);
        stream.write("(\necho dailies-transfers\n" + enter + printNames(names) + " | " + std::string(kPack) +
                     ") </dev/null\n");
        stream.sendEof();
        hashing.emplace(connection, enter + printNames(names) + " | " + std::string(kHashNames));
        stream.awaitReady();
        TarReader tar(stream);
        std::uint64_t done = 0;
        const auto total = totalSize(files);
        while (archive_entry* entry = tar.next()) {
            ArrivingFile* into = arriving.begin(entry);
            if (!into) continue;
            for (auto bytes = tar.content(); !bytes.empty(); bytes = tar.content()) {
                into->append(bytes);
                done += bytes.size();
                if (progress) progress(done, total);
            }
            into->finish();
            hashing->collect();
            arriving.settle(*hashing);
        }
    }
    hashing->collectAll(stop);
    arriving.settle(*hashing);
    syncFolder(fs::absolute(files.front().local).parent_path());
    return arriving.arrivals();
}

std::vector<TransferResult> uploadBatch(Connection& connection, const std::string& folder,
                                        const std::vector<BatchFile>& files, const std::stop_token& stop,
                                        const Session::TransferProgress& progress) {
    std::vector<TransferResult> arrivals(files.size(), TransferResult::Missing);
    if (files.empty()) return arrivals;
    if (folder.find('\n') != std::string::npos)
        throw InputError("A remote folder name cannot contain a newline.");
    const auto names = namesOf(files);
    std::vector<std::string> ours(files.size());
    {
        Stream stream(connection, kUnpack, stop);
        stream.awaitReady();
        try {
            stream.write(folder + "\n");
            TarWriter tar(stream);
            std::uint64_t done = 0;
            const auto total = totalSize(files);
            std::string piece(kTarPiece, '\0');
            for (std::size_t i = 0; i < files.size(); ++i) {
                std::ifstream file(files[i].local, std::ios::binary);
                if (!file)
                    throw Error("Cannot read " + files[i].local.string() + ": " + std::strerror(errno) + ".");
                tar.begin(files[i].name, files[i].size);
                Sha256 hash;
                std::uint64_t left = files[i].size;
                while (left > 0) {
                    file.read(piece.data(),
                              static_cast<std::streamsize>(std::min<std::uint64_t>(piece.size(), left)));
                    const auto count = static_cast<std::size_t>(file.gcount());
                    if (count == 0)
                        throw Error(files[i].local.string() + " was truncated while it was being sent.",
                                    "Try again when nothing writes to it.");
                    const auto bytes = std::string_view(piece).substr(0, count);
                    hash.add(bytes);
                    tar.append(bytes);
                    left -= count;
                    done += count;
                    if (progress) progress(done, total);
                }
                ours[i] = hash.hex();
            }
            tar.end();
            stream.sendEof();
        } catch (const SessionError& e) {
            if (e.failure() != Failure::Remote) throw;
            throw transferError("write", folder, connection,
                                stream.errorOutput());  // which is why it stopped reading
        }
        if (stream.finish() != 0) throw transferError("write", folder, connection, stream.errorOutput());
    }
    const auto there = statAll(connection, folder, names, stop);
    const auto hashes = hashAll(connection, folder, names, stop);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto found = there.find(names[i]);
        if (found == there.end()) continue;
        const auto theirs = hashes.find(names[i]);
        const bool same = found->second.size == files[i].size &&
                          (hashes.empty() || (theirs != hashes.end() && theirs->second == ours[i]));
        arrivals[i] = same ? TransferResult::Complete : TransferResult::Changed;
    }
    return arrivals;
}

}  // namespace dailies::remote::ssh

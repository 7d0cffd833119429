#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote::ssh {

/// How to reach a host. Empty or 0 = what OpenSSH's configuration says (~/.ssh/config, the system's).
struct Endpoint {
    std::string host = {};
    int port = 0;
    std::string user = {};
    std::filesystem::path identityFile = {};
    std::filesystem::path knownHostsFile = {};  ///< in place of the configuration's
    std::string jumps = {};  ///< jump hosts as `ssh -J` takes them, in place of ProxyJump and ProxyCommand
    bool readUserConfig = true;             ///< false: no configuration is read (the sandbox, tests)
    std::filesystem::path configFile = {};  ///< in place of ~/.ssh/config and the system's
    /// For every single answer, and for connecting where the configuration has no ConnectTimeout.
    std::chrono::seconds timeout{10};
};

/// A host key that known_hosts does not hold yet; of a jump host, too.
struct HostKey {
    std::string host;         ///< "name", "[name]:port" or a HostKeyAlias
    std::string type;         ///< "ssh-ed25519"
    std::string fingerprint;  ///< "SHA256:…"
};

/// Questions that only a person can answer. Called on the connecting thread; may block.
class Prompter {
public:
    virtual ~Prompter() = default;
    /// false: nobody is there (no terminal). Nothing is asked then; what would be is refused with a remedy.
    virtual bool canAsk() const { return true; }
    enum class Trust { Refuse, Once, Save };
    /// Only for unknown keys. A changed, revoked or other-type key is refused without asking.
    virtual Trust trustHostKey(const HostKey& key) = 0;
    /// Passphrase, password or a keyboard-interactive prompt; nullopt = the person cancelled. The answer is
    /// wiped after use.
    virtual std::optional<std::string> secret(const std::string& prompt, bool echo) = 0;
};

/// Why a connection or transfer failed, for code that decides on a retry; the text for people is in `Error`.
enum class Failure { Unreachable, HostKey, Authentication, Lost, Remote };

struct ExecResult {
    int exitCode = 0;      ///< 128 + n when killed by signal n
    std::string out, err;  ///< bounded: what is over 64 MiB is refused with an Error
    bool ok() const { return exitCode == 0; }
};

struct FileStat {
    std::uint64_t size = 0;
    std::int64_t modified = 0;  ///< unix seconds
    bool isFolder = false;
    bool isFile = false;  ///< a regular one: neither a folder nor a device, a pipe, a socket
};

struct FolderEntry {
    std::string name;  ///< never contains '/', never "." or ".."
    FileStat stat;
};

/// One of many files that travel together.
struct BatchFile {
    std::string name;  ///< relative to the remote folder; may have "/" in it, no "." or ".." part
    std::filesystem::path local;
    std::uint64_t size = 0;
};

std::uint64_t totalSize(const std::vector<BatchFile>& files);

/// What became of it.
enum class TransferResult {
    Complete,  ///< there, and equal by hash
    Missing,   ///< no such regular file, or not to be read
    Changed,   ///< its size or its hash is not what was expected: something writes to it
};

/// One SSH connection through libssh. It belongs to one thread at a time (libssh's rule); every call blocks,
/// and returns or throws within the endpoint's timeout of the last byte from the server. Throws
/// `SessionError`; after `Failure::Lost` the session is dead and a new one must be made. All paths are
/// absolute and remote.
class Session {
public:
    /// Connects as ssh would (see resolveHost), through jump hosts and proxy commands, checks the host key
    /// and signs in (see authenticate). Throws `InputError` for what ssh refuses in its configuration.
    Session(const Endpoint& endpoint, Prompter& prompter, std::stop_token stop = {});
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Runs a POSIX shell script: `/bin/sh -s` on the other side reads it from standard input, so the login
    /// shell never parses it; banners printed by start-up files are cut off. Values inside must be
    /// shellQuote()d. A non-zero exit is no exception.
    ExecResult run(std::string_view script, std::stop_token stop = {});

    // -- SFTP
    std::optional<FileStat> stat(const std::string& path);     ///< nullopt: no such file
    std::vector<FolderEntry> list(const std::string& folder);  ///< unsafe names are left out
    std::string read(const std::string& path, std::uint64_t offset,
                     std::size_t maxBytes);  ///< fewer bytes only at the end
    std::string readAll(const std::string& path, std::size_t limit = 64u << 20);
    /// Through a temporary name, then rename: whole or absent. Makes parent folders.
    void write(const std::string& path, std::string_view bytes, int mode = 0644);
    void makeFolders(const std::string& path);
    void remove(const std::string& path);  ///< a file; absent is fine
    using TransferProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;
    /// Whole file to disk through a partial one beside it, which a later call goes on with when the remote
    /// file is still the same. What came in pieces is compared by hash with the remote file in the end.
    void download(const std::string& remote, const std::filesystem::path& local, std::stop_token stop = {},
                  const TransferProgress& progress = {});
    /// The same the other way: through a partial file beside `remote`, compared by hash when it came in
    /// pieces, then renamed over what is there. Makes parent folders.
    void upload(const std::filesystem::path& local, const std::string& remote, int mode = 0644,
                std::stop_token stop = {}, const TransferProgress& progress = {});

    // -- many files, by few remote calls
    /// Every regular file below a folder, at most so many folders deep, by name relative to it; links are
    /// followed. Throws `SessionError` where there is no such folder.
    std::vector<FolderEntry> listTree(const std::string& folder, int maxDepth, std::stop_token stop = {});
    /// Those of these names below a folder that exist, links followed.
    std::map<std::string, FileStat> statAll(const std::string& folder, const std::vector<std::string>& names,
                                            std::stop_token stop = {});
    /// The first `bytes` bytes of each of these regular files below a folder, in one stream, or all of a
    /// shorter one; `size` of each is what it was a moment ago. Left out: what is not there, may not be read
    /// or has another size by now, and what follows such a one. Not compared by hash.
    std::map<std::string, std::string> readHeads(const std::string& folder,
                                                 const std::vector<FolderEntry>& files, std::uint64_t bytes,
                                                 std::stop_token stop = {});
    /// Files below a remote folder to where each says, the small ones in one stream; what becomes of each.
    /// Each appears when it is whole and equal by hash, so another call need only name those that lack.
    std::vector<TransferResult> downloadAll(const std::string& folder, const std::vector<BatchFile>& files,
                                            std::stop_token stop = {}, const TransferProgress& progress = {});
    /// All files below a remote folder, to the same names below a local one; those that are there with the
    /// same bytes do not come. How many came. Throws `SessionError` at the end when some could not be read,
    /// naming the first.
    int downloadFolder(const std::string& remote, const std::filesystem::path& local,
                       std::stop_token stop = {}, const TransferProgress& progress = {});
    /// All files below a local folder into a remote one, the small ones in one stream, compared by hash.
    /// They wait beside `remote` until all have come, also for a later call to go on with; then the folder
    /// appears at once, or its files in the one that is there. Files that are there with the same bytes are
    /// not sent.
    void uploadFolder(const std::filesystem::path& local, const std::string& remote,
                      std::stop_token stop = {}, const TransferProgress& progress = {});

    /// What the login shell's start-up files print before every command's own output; "" while no script has
    /// run. It breaks SFTP.
    std::string startupOutput() const;

    /// Sends a keepalive and waits for the answer; throws Lost when none comes in time. Call when idle.
    void keepAlive();
    bool connected() const;
    /// From any thread: makes a blocked call fail at once with Lost.
    void abort();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace dailies::remote::ssh

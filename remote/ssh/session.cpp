#include "remote/ssh/session.h"

#include "core/base/counts.h"
#include "remote/ssh/connection.h"
#include "remote/ssh/exec.h"
#include "remote/ssh/folder_transfer.h"
#include "remote/ssh/sftp.h"
#include "remote/ssh/transfer.h"
#include "remote/ssh/transfer_log.h"
#include "remote/ssh/tree.h"

namespace dailies::remote::ssh {

std::uint64_t totalSize(const std::vector<BatchFile>& files) {
    std::uint64_t size = 0;
    for (const auto& file : files) size += file.size;
    return size;
}

struct Session::Impl {
    Impl(const Endpoint& endpoint, Prompter& prompter, const std::stop_token& stop)
        : connection(endpoint, prompter, stop) {}

    /// Opened with the first call that needs it.
    Sftp& files() {
        if (!sftp) sftp.emplace(connection);
        return *sftp;
    }

    Connection connection;
    std::optional<Sftp> sftp;  // ends before the connection
};

Session::Session(const Endpoint& endpoint, Prompter& prompter, std::stop_token stop)
    : m_impl(std::make_unique<Impl>(endpoint, prompter, stop)) {}

Session::~Session() = default;

ExecResult Session::run(std::string_view script, std::stop_token stop) {
    return runScript(m_impl->connection, script, stop);
}

std::optional<FileStat> Session::stat(const std::string& path) {
    return m_impl->files().stat(path);
}

std::vector<FolderEntry> Session::list(const std::string& folder) {
    return m_impl->files().list(folder);
}

std::string Session::read(const std::string& path, std::uint64_t offset, std::size_t maxBytes) {
    return m_impl->files().read(path, offset, maxBytes);
}

std::string Session::readAll(const std::string& path, std::size_t limit) {
    return m_impl->files().readAll(path, limit);
}

void Session::write(const std::string& path, std::string_view bytes, int mode) {
    m_impl->files().write(path, bytes, mode);
}

void Session::makeFolders(const std::string& path) {
    m_impl->files().makeFolders(path);
}

void Session::remove(const std::string& path) {
    m_impl->files().remove(path);
}

void Session::download(const std::string& remote, const std::filesystem::path& local, std::stop_token stop,
                       const TransferProgress& progress) {
    TransferLog told("download of " + remote, progress);
    ssh::download(m_impl->connection, m_impl->files(), remote, local, stop, told.progress());
}

void Session::upload(const std::filesystem::path& local, const std::string& remote, int mode,
                     std::stop_token stop, const TransferProgress& progress) {
    TransferLog told("upload of " + remote, progress);
    ssh::upload(m_impl->connection, m_impl->files(), local, remote, mode, stop, told.progress());
}

std::vector<FolderEntry> Session::listTree(const std::string& folder, int maxDepth, std::stop_token stop) {
    return ssh::listTree(m_impl->connection, folder, maxDepth, stop);
}

std::map<std::string, FileStat> Session::statAll(const std::string& folder,
                                                 const std::vector<std::string>& names,
                                                 std::stop_token stop) {
    return ssh::statAll(m_impl->connection, folder, names, stop);
}

std::map<std::string, std::string> Session::readHeads(const std::string& folder,
                                                      const std::vector<FolderEntry>& files,
                                                      std::uint64_t bytes, std::stop_token stop) {
    return ssh::readHeads(m_impl->connection, folder, files, bytes, stop);
}

std::vector<TransferResult> Session::downloadAll(const std::string& folder,
                                                 const std::vector<BatchFile>& files, std::stop_token stop,
                                                 const TransferProgress& progress) {
    TransferLog told("download of " + pluralize(static_cast<long long>(files.size()), "file", "files") +
                         " below " + folder,
                     progress);
    return ssh::downloadAll(m_impl->connection, m_impl->files(), folder, files, stop, told.progress());
}

int Session::downloadFolder(const std::string& remote, const std::filesystem::path& local,
                            std::stop_token stop, const TransferProgress& progress) {
    TransferLog told("download of the folder " + remote, progress);
    return ssh::downloadFolder(m_impl->connection, m_impl->files(), remote, local, stop, told.progress());
}

void Session::uploadFolder(const std::filesystem::path& local, const std::string& remote,
                           std::stop_token stop, const TransferProgress& progress) {
    TransferLog told("upload of the folder " + remote, progress);
    ssh::uploadFolder(m_impl->connection, m_impl->files(), local, remote, stop, told.progress());
}

std::string Session::startupOutput() const {
    return m_impl->connection.startupOutput().value_or("");
}

void Session::keepAlive() {
    m_impl->connection.keepAlive();
}

bool Session::connected() const {
    return m_impl->connection.connected();
}

void Session::abort() {
    m_impl->connection.watchdog().abort();
}

}  // namespace dailies::remote::ssh

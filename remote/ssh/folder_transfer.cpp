#include "remote/ssh/folder_transfer.h"

#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "remote/ssh/exec.h"
#include "remote/ssh/stream.h"
#include "remote/ssh/tar_transfer.h"
#include "remote/ssh/transfer.h"
#include "remote/ssh/tree.h"

#include <algorithm>
#include <array>
#include <set>
#include <unistd.h>

namespace dailies::remote::ssh {

namespace {

namespace fs = std::filesystem;

/// A larger file has a stream of its own, which goes on in the middle of it after a break.
constexpr std::uint64_t kSmall = 8 << 20;
/// The names of so many go into one script.
constexpr std::size_t kBatchFiles = 4000;
constexpr int kDeepest = 32;  ///< folders inside folders; a link to a parent would go on for ever

/// Calls `carry` with the small files, some thousands at a time, as indices.
void inBatches(const std::vector<BatchFile>& files,
               const std::function<void(const std::vector<std::size_t>&)>& carry) {
    std::vector<std::size_t> batch;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].size <= kSmall) batch.push_back(i);
        if (batch.size() == kBatchFiles || (i + 1 == files.size() && !batch.empty())) {
            carry(batch);
            batch.clear();
        }
    }
}

std::vector<BatchFile> chosen(const std::vector<BatchFile>& files, const std::vector<std::size_t>& indices) {
    std::vector<BatchFile> some;
    for (const auto i : indices) some.push_back(files[i]);
    return some;
}

/// Adds what single transfers and batches report.
class Sum {
public:
    Sum(const std::vector<BatchFile>& files, const Session::TransferProgress& progress)
        : m_progress(progress) {
        for (const auto& file : files) m_total += file.size;
        report(0);
    }
    /// While one transfer goes on.
    Session::TransferProgress part() {
        return [this](std::uint64_t done, std::uint64_t) { report(done); };
    }
    void finish(std::uint64_t size) {
        m_done += size;
        report(0);
    }

private:
    void report(std::uint64_t more) {
        if (m_progress) m_progress(std::min(m_done + more, m_total), m_total);
    }
    const Session::TransferProgress& m_progress;
    std::uint64_t m_done = 0, m_total = 0;
};

/// The regular files below a local folder. Links are followed to files, not to folders: a link to a parent
/// would go on for ever.
std::vector<BatchFile> filesBelow(const fs::path& folder) {
    std::vector<BatchFile> files;
    std::error_code failure, vanished;
    fs::path at = folder;
    fs::recursive_directory_iterator walk(folder, failure);
    for (; !failure && walk != fs::recursive_directory_iterator(); walk.increment(failure)) {
        at = walk->path();
        if (walk->is_regular_file(vanished))
            files.push_back({at.lexically_relative(folder).generic_string(), at, walk->file_size(vanished)});
    }
    if (failure)
        throw InputError("Cannot read " + at.string() + ": " + failure.message() + ".",
                         "Make it readable, or move it elsewhere.");
    std::ranges::sort(files, {}, &BatchFile::name);
    return files;
}

/// Where a folder's files wait until all are there, told apart by whose and which folder it is.
std::string waitingFolder(const fs::path& local, const std::string& remote) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    Sha256 hash;
    hash.add(std::string(host.data()) + "\n" + fs::absolute(local).lexically_normal().string());
    return remote + "." + hash.hex(12) + ".part";
}

/// Of these files those that have the same bytes on both sides. Only where sizes agree are hashes asked for.
std::set<std::string> alike(Connection& connection, const std::string& folder,
                            const std::vector<BatchFile>& files, const std::stop_token& stop) {
    std::vector<std::string> names, asked;
    for (const auto& file : files) names.push_back(file.name);
    const auto there = statAll(connection, folder, names, stop);
    for (const auto& file : files) {
        const auto at = there.find(file.name);
        std::error_code absent;
        if (at != there.end() && at->second.isFile && fs::is_regular_file(file.local, absent) &&
            fs::file_size(file.local, absent) == at->second.size)
            asked.push_back(file.name);
    }
    const auto hashes = hashAll(connection, folder, asked, stop);
    std::set<std::string> same;
    for (const auto& file : files)
        if (const auto at = hashes.find(file.name);
            at != hashes.end() && at->second == sha256OfFile(file.local, stop))
            same.insert(file.name);
    return same;
}

/// The files that have to travel, some thousands at a time compared by `same`.
std::vector<BatchFile> differing(
    const std::vector<BatchFile>& files, Sum& sum,
    const std::function<std::set<std::string>(const std::vector<BatchFile>&)>& same) {
    std::vector<BatchFile> others;
    for (std::size_t begin = 0; begin < files.size(); begin += kBatchFiles) {
        const auto first = files.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::vector<BatchFile> some(
            first, first + static_cast<std::ptrdiff_t>(std::min(kBatchFiles, files.size() - begin)));
        const auto equal = same(some);
        for (const auto& file : some)
            if (equal.contains(file.name))
                sum.finish(file.size);
            else
                others.push_back(file);
    }
    return others;
}

void requireAll(const std::vector<BatchFile>& files, const std::vector<TransferResult>& arrivals,
                const Connection& connection) {
    for (std::size_t i = 0; i < files.size(); ++i)
        if (arrivals[i] != TransferResult::Complete)
            throw SessionError(Failure::Remote,
                               sanitizedText(files[i].name) + " was not transferred completely to " +
                                   connection.host() + ".",
                               "Check that its disk is not full, and try again: what arrived is kept.");
}

}  // namespace

namespace {

std::vector<TransferResult> carryHere(Connection& connection, Sftp& sftp, const std::string& folder,
                                      const std::vector<BatchFile>& files, const std::stop_token& stop,
                                      Sum& sum) {
    std::vector<TransferResult> arrivals(files.size(), TransferResult::Missing);
    inBatches(files, [&](const std::vector<std::size_t>& batch) {
        const auto some = chosen(files, batch);
        const auto arrived = downloadBatch(connection, folder, some, stop, sum.part());
        for (std::size_t i = 0; i < batch.size(); ++i) arrivals[batch[i]] = arrived[i];
        sum.finish(totalSize(some));
    });
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].size <= kSmall) continue;
        if (!isSafeRelativePath(files[i].name))
            throw InputError("'" + sanitizedText(files[i].name) + "' is not a valid relative file name.");
        try {
            download(connection, sftp, folder + "/" + files[i].name, files[i].local, stop, sum.part());
            arrivals[i] = TransferResult::Complete;
        } catch (const SessionError& e) {
            if (e.failure() != Failure::Remote || !connection.connected()) throw;
            if (sftp.stat(folder + "/" + files[i].name)) arrivals[i] = TransferResult::Changed;
        }
        sum.finish(files[i].size);
    }
    return arrivals;
}

/// One that a tree's listing passes over in silence; "" where there is none.
std::string closedFolderIn(Connection& connection, const std::string& folder, const std::stop_token& stop) {
    const auto found =
        runScript(connection,
                  enterFolder(folder) + "find -L . -mindepth 1 -maxdepth " + std::to_string(kDeepest) +
                      " -type d ! \\( -readable -executable \\) -prune -printf '%P\\0' -quit 2>/dev/null\n",
                  stop);
    return found.out.substr(0, found.out.find('\0'));
}

}  // namespace

std::vector<TransferResult> downloadAll(Connection& connection, Sftp& sftp, const std::string& folder,
                                        const std::vector<BatchFile>& files, const std::stop_token& stop,
                                        const Session::TransferProgress& progress) {
    Sum sum(files, progress);
    return carryHere(connection, sftp, folder, files, stop, sum);
}

int downloadFolder(Connection& connection, Sftp& sftp, const std::string& remote, const fs::path& local,
                   const std::stop_token& stop, const Session::TransferProgress& progress) {
    std::vector<BatchFile> files;
    for (const auto& [name, stat] : listTree(connection, remote, kDeepest, stop))
        files.push_back({name, local / name, stat.size});
    Sum sum(files, progress);
    const auto wanted =
        differing(files, sum, [&](const auto& some) { return alike(connection, remote, some, stop); });
    const auto arrivals = carryHere(connection, sftp, remote, wanted, stop, sum);
    const auto failed =
        std::ranges::find_if(arrivals, [](auto arrival) { return arrival != TransferResult::Complete; });
    if (failed != arrivals.end())
        throw transferError(
            "copy", remote + "/" + wanted[static_cast<std::size_t>(failed - arrivals.begin())].name,
            connection,
            *failed == TransferResult::Missing ? "it may not be read, or is gone; the others are here"
                                               : "something writes to it; the others are here");
    if (const auto closed = closedFolderIn(connection, remote, stop); !closed.empty())
        throw transferError("copy", remote + "/" + closed, connection,
                            "you may not look into it; all else is here");
    return static_cast<int>(wanted.size());
}

void uploadFolder(Connection& connection, Sftp& sftp, const fs::path& local, const std::string& remote,
                  const std::stop_token& stop, const Session::TransferProgress& progress) {
    const auto files = filesBelow(local);
    if (files.empty())
        throw InputError(local.string() + " holds no files.", "Choose the folder that holds the dataset.");
    if (const auto there = sftp.stat(remote); there && !there->isFolder)
        throw SessionError(Failure::Remote,
                           sanitizedText(remote) + " on " + connection.host() + " is a file, not a folder.",
                           "Choose another name for the folder.");
    const auto waiting = waitingFolder(local, remote);
    Sum sum(files, progress);
    const auto toSend = differing(files, sum, [&](const std::vector<BatchFile>& some) {
        auto same = alike(connection, remote, some, stop);
        same.merge(alike(connection, waiting, some, stop));
        return same;
    });
    sftp.makeFolders(waiting);
    inBatches(toSend, [&](const std::vector<std::size_t>& batch) {
        const auto some = chosen(toSend, batch);
        requireAll(some, uploadBatch(connection, waiting, some, stop, sum.part()), connection);
        sum.finish(totalSize(some));
    });
    for (const auto& file : toSend) {
        if (file.size <= kSmall) continue;
        upload(connection, sftp, file.local, waiting + "/" + file.name, 0644, stop, sum.part());
        sum.finish(file.size);
    }
    // The folder appears at once where there is none, else file by file, each whole: by a second name, or by
    // a copy where the file system knows none.
    const auto moved = runScript(connection,
                                 "from=" + shellQuote(waiting) + "\nto=" + shellQuote(remote) +
                                     "\n[ -e \"$to\" ] || mv -T -- \"$from\" \"$to\" || exit\n"
                                     "[ -e \"$from\" ] || exit 0\n"
                                     "cp -alf -- \"$from/.\" \"$to/\" 2>/dev/null || cp -af -- \"$from/.\" "
                                     "\"$to/\" || exit\nrm -rf -- \"$from\"\n",
                                 stop);
    if (!moved.ok()) throw transferError("write", remote, connection, sanitizedText(trim(moved.err)));
}

}  // namespace dailies::remote::ssh

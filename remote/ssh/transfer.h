#pragma once

#include "remote/ssh/sftp.h"

/// Whole files both ways, as one stream through a `cat` on the other side: SFTP waits for the answer to each
/// piece, or in libssh for a window that is too small for any distance. A transfer that broke goes on where
/// it ended, in a partial file whose name tells of which state of which file it is a part; the whole is then
/// compared by hash.
namespace dailies::remote::ssh {

using TransferProgress = Session::TransferProgress;

/// What the partial file of a download is called, beside the file that it becomes: "clip.mp4.<size>-<unix
/// seconds>.part". Size and time are those of the remote file, so that only a download of the very same state
/// goes on where an earlier one ended.
std::string partialName(const std::string& file, const FileStat& remote);

/// `Session::download`.
void download(Connection& connection, Sftp& sftp, const std::string& remote,
              const std::filesystem::path& local, const std::stop_token& stop,
              const TransferProgress& progress);

/// `Session::upload`.
void upload(Connection& connection, Sftp& sftp, const std::filesystem::path& local, const std::string& remote,
            int mode, const std::stop_token& stop, const TransferProgress& progress);

}  // namespace dailies::remote::ssh

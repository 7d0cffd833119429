#pragma once

#include "remote/ssh/sftp.h"

namespace dailies::remote::ssh {

using TransferProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// `Session::download`.
void download(Connection& connection, Sftp& sftp, const std::string& remote,
              const std::filesystem::path& local, const std::stop_token& stop,
              const TransferProgress& progress);

/// `Session::upload`: through a `cat` on the other side, because libssh's SFTP writes wait for the answer to
/// each piece, which makes them several times slower over any distance.
void upload(Connection& connection, Sftp& sftp, const std::filesystem::path& local, const std::string& remote,
            int mode, const std::stop_token& stop);

}  // namespace dailies::remote::ssh

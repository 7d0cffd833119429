#pragma once

#include "remote/ssh/sftp.h"

namespace dailies::remote::ssh {

/// `Session::downloadAll`.
std::vector<TransferResult> downloadAll(Connection& connection, Sftp& sftp, const std::string& folder,
                                        const std::vector<BatchFile>& files, const std::stop_token& stop,
                                        const Session::TransferProgress& progress);

/// `Session::downloadFolder`.
int downloadFolder(Connection& connection, Sftp& sftp, const std::string& remote,
                   const std::filesystem::path& local, const std::stop_token& stop,
                   const Session::TransferProgress& progress);

/// `Session::uploadFolder`.
void uploadFolder(Connection& connection, Sftp& sftp, const std::filesystem::path& local,
                  const std::string& remote, const std::stop_token& stop,
                  const Session::TransferProgress& progress);

}  // namespace dailies::remote::ssh

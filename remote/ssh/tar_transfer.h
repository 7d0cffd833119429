#pragma once

#include "remote/ssh/connection.h"

/// Many small files as one stream each way: a tar on its way between `tar` on the other side and here. A file
/// apiece would wait for an answer several times. What arrives is compared by hash, file by file.
namespace dailies::remote::ssh {

/// `Session::downloadBatch`.
std::vector<TransferResult> downloadBatch(Connection& connection, const std::string& folder,
                                          const std::vector<BatchFile>& files, const std::stop_token& stop,
                                          const Session::TransferProgress& progress);

/// Puts the files below `folder`, which is made, over what is there. Returns which of them are there whole
/// now.
std::vector<TransferResult> uploadBatch(Connection& connection, const std::string& folder,
                                        const std::vector<BatchFile>& files, const std::stop_token& stop,
                                        const Session::TransferProgress& progress);

}  // namespace dailies::remote::ssh

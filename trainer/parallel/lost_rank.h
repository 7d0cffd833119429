#pragma once

#include "trainer/parallel/lost_rank_error.h"

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace dailies::trainer {

/// What NCCL, Gloo or the store says is wrong, in one line: "ncclRemoteError: Connection reset by peer".
std::string extractFault(std::string_view message);

/// Whether this is how c10d tells that a rank or a connection is lost. Other faults, as those of tensors that
/// do not fit or of memory, are the program's own.
bool isLostConnection(const std::exception& error);

/// While it lives, a thread of NCCL's that finds a rank lost, and would abort the process by an exception
/// that nobody catches, has the loss explained (`Watchdog::explain`) as the loop does: where that returns,
/// its message is printed and the process fails. Other exceptions abort as ever. One at a time.
class LostRankTerminateHandler {
public:
    using Explain = std::function<Error(const LostRank& lost)>;

    explicit LostRankTerminateHandler(Explain explain);
    ~LostRankTerminateHandler();
    LostRankTerminateHandler(const LostRankTerminateHandler&) = delete;
    LostRankTerminateHandler& operator=(const LostRankTerminateHandler&) = delete;
};

}  // namespace dailies::trainer

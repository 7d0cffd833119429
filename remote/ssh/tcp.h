#pragma once

#include <chrono>
#include <stop_token>
#include <string>

namespace dailies::remote::ssh {

/// A connected TCP socket, or a `SessionError` (Unreachable) that says whether the name, the address or the
/// port was at fault. libssh's own connecting cannot be cancelled and gives all of these one message. The
/// caller closes it.
int connectTcp(const std::string& host, int port, std::chrono::milliseconds timeout,
               const std::stop_token& stop);

}  // namespace dailies::remote::ssh

#pragma once

#include "remote/ssh/host_config.h"
#include "remote/ssh/session.h"

#include <libssh/libssh.h>

#include <string>

namespace dailies::remote::ssh {

/// The configuration's host key algorithms with those first for which known_hosts holds a key, because a
/// server that shows a key of another type is refused. Comma-separated, as libssh takes them.
std::string hostKeyPreference(const HostConfig& config);

/// Compares the key that a server showed with known_hosts, before anything is sent to it. An unknown one is
/// asked about, or judged by StrictHostKeyChecking. Other than ssh, a changed key is refused whatever that
/// says. Throws `SessionError` (HostKey).
void verifyHostKey(ssh_session session, const HostConfig& config, Prompter& prompter);

}  // namespace dailies::remote::ssh

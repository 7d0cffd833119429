#pragma once

#include "remote/ssh/session.h"

namespace dailies::remote::ssh {

class Connection;

/// Signs in, with as few questions as possible: the given key when it needs no passphrase; then the agent,
/// the keys of
/// ~/.ssh/config and the default ones (their passphrases through the prompter); then keyboard-interactive and
/// password. A key given without ~/.ssh/config is the only one offered, so that an agent full of keys cannot
/// use up the server's tries. Throws `SessionError` (Authentication) naming what the server accepts, or
/// `Cancelled` when a question was not answered.
void authenticate(Connection& connection, const Endpoint& endpoint, Prompter& prompter);

}  // namespace dailies::remote::ssh

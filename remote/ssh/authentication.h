#pragma once

#include "remote/ssh/host_config.h"
#include "remote/ssh/session.h"

namespace dailies::remote::ssh {

class Connection;

/// Signs in by the methods that the server accepts and the configuration allows, in its order, several in a
/// row where the server wants that (a key, then a code), and with as few questions as possible. Keys come in
/// this order, so that an agent full of other keys does not use up the server's tries: the agent's that the
/// configuration names; named files without a passphrase (with their certificates first); the agent's other
/// keys, unless IdentitiesOnly; files with a passphrase, which is asked for once the server accepts the key.
/// Throws `SessionError` (Authentication) naming what the server accepts and what was offered, or `Cancelled`
/// when a question was not answered.
void authenticate(Connection& connection, const Endpoint& endpoint, const HostConfig& config,
                  Prompter& prompter, const std::stop_token& stop);

}  // namespace dailies::remote::ssh

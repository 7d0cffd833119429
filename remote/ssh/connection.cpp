#include "remote/ssh/connection.h"

#include "core/base/text.h"
#include "core/log/log.h"
#include "remote/ssh/authentication.h"
#include "remote/ssh/host_key.h"
#include "remote/ssh/plain_name.h"

#include <libssh/callbacks.h>
#include <libssh/server.h>  // ssh_send_keepalive

#include <algorithm>

namespace dailies::remote::ssh {

namespace {

/// A list of algorithms as the configuration has it; libssh takes those that it knows.
void setAlgorithms(ssh_session session, ssh_options_e option, const std::string& list, const char* keyword) {
    if (!list.empty() && ssh_options_set(session, option, list.c_str()) != SSH_OK)
        throw InputError(
            std::string(keyword) +
                " of the SSH configuration names nothing that is known here: " + sanitizedText(list) + ".",
            "Add one that libssh supports, or remove the keyword.");
}

}  // namespace

Connection::Connection(const Endpoint& endpoint, Prompter& prompter, const std::stop_token& stop, int jumps)
    : m_host(endpoint.host), m_trialCommand(sshCommand(endpoint, "true")), m_session(ssh_new(), &ssh_free) {
    if (endpoint.host.empty()) throw InputError("No host was given.", "Name the cluster's login node.");
    if (!m_session) throw Error("libssh could not start a session.");
    requirePlainName("host name", endpoint.host);
    requirePlainName("user name", endpoint.user);
    m_config = resolveHost(endpoint, stop);
    requirePlainName("host name", m_config.hostName);
    requirePlainName("user name", m_config.user);
    m_timeout = endpoint.timeout;
    // Below the timeout, so that a failure is reported within it.
    m_idleTimeout = m_timeout * 8 / 10;
    if (m_config.idleTimeout)
        m_idleTimeout = std::min<std::chrono::milliseconds>(m_idleTimeout, *m_config.idleTimeout);
    configure();
    const auto begin = std::chrono::steady_clock::now();
    log::info("ssh", "connecting to " + m_host + (jumps > 0 ? ", a jump host" : ""));
    log::debug("ssh", m_host + " is " + m_config.user + "@" + m_config.hostName + " port " +
                          std::to_string(m_config.port));
    try {
        m_route = makeRoute(endpoint, m_config, prompter, stop, jumps);
        if (const auto way = m_route->name(); !way.empty()) log::info("ssh", m_host + " by way of " + way);
        connect(stop);
        verifyHostKey(handle(), m_config, prompter);
        authenticate(*this, endpoint, m_config, prompter, stop);
    } catch (const Error& error) {
        log::error("ssh", m_host + " not connected after " + log::secondsSince(begin) + ": " + error.full());
        throw;
    } catch (const Cancelled&) {
        log::info("ssh", "connecting to " + m_host + " was cancelled");
        throw;
    }
    m_open = true;
    log::info("ssh", "connected to " + m_host + " in " + log::secondsSince(begin));
}

Connection::~Connection() {
    if (m_open) log::info("ssh", "disconnected from " + m_host + (connected() ? "" : ", which was lost"));
    // A last word to a server that may no longer listen.
    const Watchdog::Watch watch(m_watchdog, std::chrono::milliseconds(500));
    ssh_disconnect(handle());
}

bool Connection::connected() const {
    return !m_watchdog.reason() && ssh_is_connected(handle());
}

void Connection::configure() {
    const auto session = handle();
    const bool never = false;
    ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &never);  // ssh itself was asked what it says
    ssh_options_set(session, SSH_OPTIONS_HOST, m_config.hostName.c_str());
    ssh_options_set(session, SSH_OPTIONS_PORT, &m_config.port);
    ssh_options_set(session, SSH_OPTIONS_USER, m_config.user.c_str());
    const long seconds = std::max(1L, static_cast<long>(m_timeout.count() / 1000));
    ssh_options_set(session, SSH_OPTIONS_TIMEOUT, &seconds);
    if (m_config.compression) ssh_options_set(session, SSH_OPTIONS_COMPRESSION, "yes");
    setAlgorithms(session, SSH_OPTIONS_CIPHERS_C_S, m_config.ciphers, "Ciphers");
    setAlgorithms(session, SSH_OPTIONS_CIPHERS_S_C, m_config.ciphers, "Ciphers");
    setAlgorithms(session, SSH_OPTIONS_HMAC_C_S, m_config.macs, "MACs");
    setAlgorithms(session, SSH_OPTIONS_HMAC_S_C, m_config.macs, "MACs");
    setAlgorithms(session, SSH_OPTIONS_KEY_EXCHANGE, m_config.keyExchanges, "KexAlgorithms");
    setAlgorithms(session, SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, m_config.publicKeyAlgorithms,
                  "PubkeyAcceptedAlgorithms");
    setAlgorithms(session, SSH_OPTIONS_HOSTKEYS, hostKeyPreference(m_config), "HostKeyAlgorithms");
    // Or libssh would order the host keys by files of its own choice.
    ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, "/dev/null");
    ssh_options_set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
    ssh_set_counters(session, m_watchdog.counter(), nullptr);
}

void Connection::connect(const std::stop_token& stop) {
    const auto session = handle();
    int fd = m_route->takeSocket();
    m_watchdog.setSocket(fd);
    ssh_options_set(session, SSH_OPTIONS_FD, &fd);
    const Watchdog::Watch watch(m_watchdog, idleTimeout(), stop);
    if (ssh_connect(session) == SSH_OK) return;
    if (m_watchdog.reason() == Watchdog::Reason::Stopped || stop.stop_requested()) throw Cancelled();
    const auto where = m_host + " port " + std::to_string(m_config.port);
    const bool silent = m_watchdog.reason() == Watchdog::Reason::Silence;
    const bool spoke = m_watchdog.counter()->in_bytes > 0;  // such as a web server
    if (const auto way = m_route->name(); !way.empty() && !spoke) {
        const auto said = m_route->errorOutput();
        throw SessionError(Failure::Unreachable,
                           where + " cannot be reached via " + way + " (" +
                               (!said.empty() ? said
                                : silent      ? "it gave no answer"
                                              : sanitizedText(ssh_get_error(session))) +
                               ").",
                           "Try the same with: " + m_trialCommand);
    }
    if (silent)
        throw SessionError(Failure::Unreachable,
                           spoke ? "What answers at " + where + " is not an SSH server."
                                 : "Something accepts connections at " + where + " but says nothing.",
                           spoke ? "Check the port." : "Check the port; or the server hangs.");
    throw SessionError(
        Failure::Unreachable,
        "SSH handshake with " + where + " failed (" + sanitizedText(ssh_get_error(session)) + ").",
        "Check that this is the port of an SSH server.");
}

void Connection::keepAlive(const std::stop_token& stop) {
    requireConnected();
    const auto limit = m_timeout / 2;
    const auto begin = std::chrono::steady_clock::now();
    const Watchdog::Watch watch(m_watchdog, limit, stop);
    // It reports success even when no answer came: the clock and the watchdog know better.
    ssh_send_keepalive(handle());
    if (!connected() || std::chrono::steady_clock::now() - begin > limit) {
        m_watchdog.abort();
        fail("The server did not answer");
    }
}

void Connection::requireConnected() const {
    if (!connected()) fail("The connection is closed");
}

void Connection::fail(const std::string& what) const {
    switch (m_watchdog.reason().value_or(Watchdog::Reason::Aborted)) {
        case Watchdog::Reason::Stopped:
            throw Cancelled();
        case Watchdog::Reason::Silence:
            log::warning("ssh", m_host + " is lost: it stopped answering");
            throw SessionError(Failure::Lost,
                               "The connection to " + m_host + " was lost: it stopped answering.",
                               "Dailies reconnects when the network is back.");
        case Watchdog::Reason::Aborted:
            break;
    }
    if (!connected()) {
        log::warning("ssh", m_host + " is lost: " + ssh_get_error(handle()));
        throw SessionError(Failure::Lost,
                           "The connection to " + m_host + " was lost" +
                               (m_route->errorOutput().empty()
                                    ? ""
                                    : ": " + m_route->name() + " said: " + m_route->errorOutput()) +
                               ".",
                           "Dailies reconnects when the network is back.");
    }
    throw SessionError(Failure::Remote, what + " (" + sanitizedText(ssh_get_error(handle())) + ").");
}

}  // namespace dailies::remote::ssh

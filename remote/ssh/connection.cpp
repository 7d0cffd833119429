#include "remote/ssh/connection.h"

#include "core/base/text.h"
#include "remote/ssh/authentication.h"
#include "remote/ssh/known_hosts.h"
#include "remote/ssh/tcp.h"

#include <libssh/callbacks.h>
#include <libssh/server.h>  // ssh_send_keepalive

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace dailies::remote::ssh {

namespace {

namespace fs = std::filesystem;

/// libssh's own string, freed.
std::string take(char* text) {
    std::string copy = text ? text : "";
    ssh_string_free_char(text);
    return copy;
}

std::string option(ssh_session session, ssh_options_e name) {
    char* value = nullptr;
    return ssh_options_get(session, name, &value) == SSH_OK ? take(value) : "";
}

int portOf(ssh_session session) {
    unsigned port = 0;
    ssh_options_get_port(session, &port);
    return static_cast<int>(port);
}

/// Host and user may end up in a proxy command, where a shell or ssh would read options and metacharacters.
void requirePlainName(const std::string& what, const std::string& name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return c > 127 || std::isalnum(c) ||
               std::string_view("._-:%@+\\").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (!plain || name.starts_with('-'))
        throw InputError("'" + inertText(name) + "' cannot be a " + what + ".",
                         "Use the name as ssh takes it.");
}

struct ServerKey {
    std::string type, base64, fingerprint;
};

ServerKey serverKey(ssh_session session) {
    ssh_key raw = nullptr;
    if (ssh_get_server_publickey(session, &raw) != SSH_OK) return {};
    const std::unique_ptr<ssh_key_struct, decltype(&ssh_key_free)> key(raw, &ssh_key_free);
    ServerKey result;
    const auto type = ssh_key_type(raw);
    const bool isEcdsa =
        type == SSH_KEYTYPE_ECDSA_P256 || type == SSH_KEYTYPE_ECDSA_P384 || type == SSH_KEYTYPE_ECDSA_P521;
    if (const char* name = isEcdsa ? ssh_pki_key_ecdsa_name(raw) : ssh_key_type_to_char(type))
        result.type = name;
    char* base64 = nullptr;
    if (ssh_pki_export_pubkey_base64(raw, &base64) == SSH_OK) result.base64 = take(base64);
    unsigned char* hash = nullptr;
    std::size_t size = 0;
    if (ssh_get_publickey_hash(raw, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) == SSH_OK) {
        result.fingerprint = take(ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size));
        ssh_clean_pubkey_hash(&hash);
    }
    return result;
}

std::vector<fs::path> knownHostsFiles(ssh_session session, const Endpoint& endpoint) {
    if (!endpoint.knownHostsFile.empty()) return {endpoint.knownHostsFile};
    std::vector<fs::path> files;
    if (const auto configured = option(session, SSH_OPTIONS_KNOWNHOSTS); !configured.empty())
        files = {configured};
    else if (const char* home = std::getenv("HOME"))
        files = {fs::path(home) / ".ssh/known_hosts"};
    files.emplace_back("/etc/ssh/ssh_known_hosts");
    return files;
}

}  // namespace

Connection::Connection(const Endpoint& endpoint, Prompter& prompter, const std::stop_token& stop)
    : m_timeout(endpoint.timeout), m_host(endpoint.host), m_session(ssh_new(), &ssh_free) {
    if (endpoint.host.empty()) throw InputError("No host was given.", "Name the cluster's login node.");
    if (!m_session) throw Error("libssh could not start a session.");
    requirePlainName("host name", endpoint.host);
    requirePlainName("user name", endpoint.user);
    configure(endpoint);
    connect(stop);
    verifyHostKey(endpoint, prompter);
    const Watchdog::Watch watch(m_watchdog, silenceLimit(), stop);
    authenticate(*this, endpoint, prompter);
}

Connection::~Connection() {
    // A last word to a server that may no longer listen.
    const Watchdog::Watch watch(m_watchdog, std::chrono::milliseconds(500));
    ssh_disconnect(handle());
}

bool Connection::connected() const {
    return !m_watchdog.reason() && ssh_is_connected(handle());
}

void Connection::configure(const Endpoint& endpoint) {
    const auto session = handle();
    ssh_options_set(session, SSH_OPTIONS_HOST, endpoint.host.c_str());
    if (endpoint.readUserConfig && ssh_options_parse_config(session, nullptr) != SSH_OK)
        throw SessionError(Failure::Unreachable,
                           "~/.ssh/config cannot be read: " + std::string(ssh_get_error(session)));
    const bool never = false;
    ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG,
                    &never);  // once is enough, and before the person's own choices
    const long seconds = std::max(1L, static_cast<long>(m_timeout.count() / 1000));
    ssh_options_set(session, SSH_OPTIONS_TIMEOUT, &seconds);
    if (endpoint.port != 0) ssh_options_set(session, SSH_OPTIONS_PORT, &endpoint.port);
    if (!endpoint.user.empty()) ssh_options_set(session, SSH_OPTIONS_USER, endpoint.user.c_str());
    if (!endpoint.identityFile.empty())
        ssh_options_set(session, SSH_OPTIONS_ADD_IDENTITY, endpoint.identityFile.c_str());
    // libssh asks the server first for the key types that this file knows.
    if (!endpoint.knownHostsFile.empty())
        ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, endpoint.knownHostsFile.c_str());
    ssh_set_counters(session, m_watchdog.counter(), nullptr);
}

void Connection::connect(const std::stop_token& stop) {
    const auto session = handle();
    const bool proxied = !option(session, SSH_OPTIONS_PROXYCOMMAND).empty();
    if (!proxied) {
        // "%h" and the like of a HostName line are libssh's to expand, which it has done here.
        int fd = connectTcp(option(session, SSH_OPTIONS_HOST), portOf(session), m_timeout, stop);
        m_watchdog.setSocket(fd);
        ssh_options_set(session, SSH_OPTIONS_FD, &fd);  // libssh's to close from here
    }
    const Watchdog::Watch watch(m_watchdog, silenceLimit(), stop);
    if (ssh_connect(session) != SSH_OK) {
        if (m_watchdog.reason() == Watchdog::Reason::Stopped || stop.stop_requested()) throw Cancelled();
        const auto where = m_host + " port " + std::to_string(portOf(session));
        if (m_watchdog.reason() == Watchdog::Reason::Silence) {
            const bool spoke = m_watchdog.counter()->in_bytes > 0;  // such as a web server
            throw SessionError(Failure::Unreachable,
                               spoke ? "What answers at " + where + " is not an SSH server."
                                     : "Something accepts connections at " + where + " but says nothing.",
                               spoke ? "Check the port." : "Check the port; or the server hangs.");
        }
        throw SessionError(
            Failure::Unreachable,
            proxied ? "The proxy or jump host on the way to " + where + " gave no connection (" +
                          inertText(ssh_get_error(session)) + ")."
                    : "No SSH conversation with " + where + " was possible (" +
                          inertText(ssh_get_error(session)) + ").",
            proxied ? "Try the same with: ssh " + m_host : "Check that this is the port of an SSH server.");
    }
    if (proxied) m_watchdog.setSocket(ssh_get_fd(session));
}

void Connection::verifyHostKey(const Endpoint& endpoint, Prompter& prompter) {
    const auto key = serverKey(handle());
    if (key.base64.empty()) fail("The host key of " + m_host + " cannot be read");
    const int port = portOf(handle());
    const auto name = option(handle(), SSH_OPTIONS_HOST);
    const auto host = port == 22 ? name : "[" + name + "]:" + std::to_string(port);
    const auto files = knownHostsFiles(handle(), endpoint);
    HostKeyFinding finding;
    try {
        finding = findHostKey(files, host, key.type, key.base64);
    } catch (const Error& e) {
        throw SessionError(Failure::HostKey,
                           std::string(e.what()) + " The host cannot be verified without it.", e.remedy());
    }
    const auto place = finding.file.string() + " line " + std::to_string(finding.line);
    switch (finding.state) {
        case HostKeyState::Known:
            return;
        case HostKeyState::Revoked:
            throw SessionError(Failure::HostKey,
                               "The host key of " + host + " (" + key.fingerprint +
                                   ") is marked as revoked in " + place + ". Nothing was sent to it.",
                               "Ask the cluster's administrators: the key may be in wrong hands.");
        case HostKeyState::Changed:
        case HostKeyState::OtherType:
            throw SessionError(Failure::HostKey,
                               "The host key of " + host + " has changed: it shows " + key.type + " " +
                                   key.fingerprint + ", but " + place + " expects " + finding.type + " " +
                                   fingerprintOf(finding.key) +
                                   ". Somebody may be listening in between; nothing was sent to it.",
                               "Ask the cluster's administrators. If they confirm the new fingerprint, "
                               "remove that line and connect again.");
        case HostKeyState::Unknown:
            break;
    }
    switch (prompter.trustHostKey({host, key.type, key.fingerprint})) {
        case Prompter::Trust::Refuse:
            throw SessionError(Failure::HostKey,
                               "The host key of " + host + " (" + key.fingerprint + ") was not accepted.");
        case Prompter::Trust::Once:
            return;
        case Prompter::Trust::Save:
            saveHostKey(files.front(), host, key.type, key.base64);
    }
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
            throw SessionError(Failure::Lost,
                               "The connection to " + m_host + " was lost: it stopped answering.",
                               "It will be tried again when the network is back.");
        case Watchdog::Reason::Aborted:
            break;
    }
    if (!connected())
        throw SessionError(Failure::Lost, "The connection to " + m_host + " was lost.",
                           "It will be tried again when the network is back.");
    throw SessionError(Failure::Remote, what + " (" + inertText(ssh_get_error(handle())) + ").");
}

}  // namespace dailies::remote::ssh

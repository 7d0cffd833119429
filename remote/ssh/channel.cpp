#include "remote/ssh/channel.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>

namespace dailies::remote::ssh {

namespace {

constexpr std::size_t kWriteChunk = 32 << 10;

int signalNumber(const std::string& name) {
    // The names of RFC 4254, section 6.10.
    static const std::map<std::string, int> numbers{
        {"ABRT", SIGABRT}, {"ALRM", SIGALRM}, {"FPE", SIGFPE},   {"HUP", SIGHUP},   {"ILL", SIGILL},
        {"INT", SIGINT},   {"KILL", SIGKILL}, {"PIPE", SIGPIPE}, {"QUIT", SIGQUIT}, {"SEGV", SIGSEGV},
        {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
    const auto found = numbers.find(name);
    return found == numbers.end() ? SIGKILL : found->second;
}

}  // namespace

Channel::Channel(Connection& connection, const char* command)
    : m_connection(connection), m_channel(ssh_channel_new(connection.handle())) {
    if (!m_channel) connection.fail("Cannot open an SSH channel");
    m_callbacks.userdata = this;
    m_callbacks.channel_exit_status_function = &Channel::onExitStatus;
    m_callbacks.channel_exit_signal_function = &Channel::onExitSignal;
    ssh_callbacks_init(&m_callbacks);
    ssh_set_channel_callbacks(m_channel, &m_callbacks);
    if (ssh_channel_open_session(m_channel) == SSH_OK &&
        ssh_channel_request_exec(m_channel, command) == SSH_OK)
        return;
    ssh_channel_free(m_channel);
    connection.fail("The server does not run commands");
}

Channel::~Channel() {
    ssh_remove_channel_callbacks(m_channel, &m_callbacks);
    ssh_channel_free(m_channel);
}

void Channel::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto size = std::min(bytes.size(), kWriteChunk);
        const int count = ssh_channel_write(m_channel, bytes.data(), static_cast<std::uint32_t>(size));
        if (count <= 0) m_connection.fail("The command did not read its input");
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void Channel::sendEof() {
    if (ssh_channel_send_eof(m_channel) != SSH_OK) m_connection.fail("Cannot close the command's input");
}

bool Channel::collect(std::string& out, std::string& err, std::chrono::milliseconds patience) {
    const int ready = ssh_channel_poll_timeout(m_channel, static_cast<int>(patience.count()), 0);
    if (ready == SSH_ERROR) m_connection.fail("The command's output could not be read");
    const bool some = drain(false, out);
    return drain(true, err) || some;
}

bool Channel::drain(bool isError, std::string& into) {
    std::array<char, 64 << 10> buffer;
    bool some = false;
    for (;;) {
        const int count = ssh_channel_read_nonblocking(m_channel, buffer.data(), buffer.size(), isError);
        if (count == SSH_ERROR) m_connection.fail("The command's output could not be read");
        if (count <= 0) return some;
        into.append(buffer.data(), static_cast<std::size_t>(count));
        some = true;
    }
}

std::size_t Channel::read(std::string& buffer, std::chrono::milliseconds patience) {
    // libssh opens its window by as much as is asked for.
    const int count =
        ssh_channel_read_timeout(m_channel, buffer.data(), static_cast<std::uint32_t>(buffer.size()), 0,
                                 static_cast<int>(patience.count()));
    if (count == SSH_ERROR) m_connection.fail("The command's output could not be read");
    return static_cast<std::size_t>(std::max(count, 0));
}

bool Channel::atEnd() const {
    return ssh_channel_is_eof(m_channel) || ssh_channel_is_closed(m_channel);
}

int Channel::waitForExit() {
    if (!m_exitCode)
        ssh_channel_get_exit_status(m_channel);  // returns when the callbacks below have been called
    if (!m_exitCode) m_connection.fail("The command ended without an exit status");
    return *m_exitCode;
}

void Channel::onExitStatus(ssh_session, ssh_channel, int status, void* self) {
    static_cast<Channel*>(self)->m_exitCode = status;
}

void Channel::onExitSignal(ssh_session, ssh_channel, const char* signal, int, const char*, const char*,
                           void* self) {
    static_cast<Channel*>(self)->m_exitCode = 128 + signalNumber(signal ? signal : "");
}

}  // namespace dailies::remote::ssh

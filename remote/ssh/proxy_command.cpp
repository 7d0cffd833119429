#include "remote/ssh/proxy_command.h"

#include "core/base/text.h"
#include "remote/ssh/session_error.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace dailies::remote::ssh {

namespace {

constexpr std::size_t kMaxSaid = 2000;
/// How long a command may take to end when the conversation has.
constexpr int kEndTries = 20;
constexpr std::chrono::milliseconds kEndTick{10};

SessionError failure(int problem) {
    return {Failure::Unreachable,
            std::string("The proxy command cannot be started: ") + std::strerror(problem) + "."};
}

int start(const std::string& command, int conversation, int errors, pid_t& pid) {
    const char* userShell = std::getenv("SHELL");
    std::string shell = userShell && *userShell ? userShell : "/bin/sh", flag = "-c",
                line = "exec " + command;
    std::array<char*, 4> arguments{shell.data(), flag.data(), line.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, conversation, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, conversation, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    sigset_t none;  // it ends at a signal that this program has blocked
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    // Its own group, so that what it started ends with it.
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int problem = ::posix_spawn(&pid, shell.c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

}  // namespace

ProxyCommand::ProxyCommand(const std::string& command) {
    std::array<int, 2> conversation{}, errors{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, conversation.data()) != 0) throw failure(errno);
    if (::pipe2(errors.data(), O_CLOEXEC | O_NONBLOCK) !=
        0) {  // a command that talks for ever is not held up
        const int problem = errno;
        ::close(conversation[0]);
        ::close(conversation[1]);
        throw failure(problem);
    }
    m_socket = conversation[0];
    m_errors = errors[0];
    const int problem = start(command, conversation[1], errors[1], m_pid);
    ::close(conversation[1]);
    ::close(errors[1]);
    if (problem == 0) return;
    ::close(m_socket);
    ::close(m_errors);
    throw failure(problem);
}

ProxyCommand::~ProxyCommand() {
    if (m_socket >= 0) ::close(m_socket);
    ::kill(-m_pid, SIGTERM);
    int tries = 0;
    while (::waitpid(m_pid, nullptr, WNOHANG) == 0) {
        if (++tries == kEndTries) ::kill(-m_pid, SIGKILL);
        std::this_thread::sleep_for(kEndTick);
    }
    ::close(m_errors);
}

int ProxyCommand::takeSocket() {
    return std::exchange(m_socket, -1);
}

std::string ProxyCommand::errorOutput() {
    std::array<char, 4096> buffer;
    for (;;) {
        const auto count = ::read(m_errors, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || m_errorOutput.size() > kMaxSaid) break;
        m_errorOutput.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return sanitizedText(trim(m_errorOutput.substr(0, kMaxSaid)));
}

}  // namespace dailies::remote::ssh

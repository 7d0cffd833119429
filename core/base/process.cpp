#include "core/base/process.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies {

namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : m_fd(fd) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    int get() const { return m_fd; }
    bool isOpen() const { return m_fd >= 0; }
    void close() {
        if (m_fd >= 0) ::close(m_fd);
        m_fd = -1;
    }

private:
    int m_fd = -1;
};

struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            throw Error(std::string("Cannot create a pipe: ") + std::strerror(errno) + ".");
        reader = Descriptor(ends[0]);
        writer = Descriptor(ends[1]);
    }
    Descriptor reader, writer;
};

/// The caller's environment with some variables replaced, as execve takes it.
class Environment {
public:
    explicit Environment(const std::map<std::string, std::string>& changes) {
        for (char** entry = environ; *entry; ++entry) {
            const std::string_view text(*entry);
            if (!changes.contains(std::string(text.substr(0, text.find('='))))) m_entries.emplace_back(text);
        }
        for (const auto& [name, value] : changes) m_entries.push_back(name + "=" + value);
        for (auto& entry : m_entries) m_pointers.push_back(entry.data());
        m_pointers.push_back(nullptr);
    }
    char** get() { return m_pointers.data(); }

private:
    std::vector<std::string> m_entries;
    std::vector<char*> m_pointers;
};

pid_t spawn(const std::filesystem::path& program, const std::vector<std::string>& command,
            const ProcessOptions& options, const Pipe& in, const Pipe& out, const Pipe& err) {
    std::vector<char*> arguments;
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    Environment environment(options.environment);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.reader.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.writer.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.writer.get(), STDERR_FILENO);
    if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // Its own group, so that a timeout ends its children too; SIGPIPE and the blocked signals as a program
    // expects them, whatever ours are.
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

    pid_t pid = -1;
    const int failure =
        ::posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments.data(), environment.get());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw Error("Cannot start " + program.string() + ": " + std::strerror(failure) + ".");
    return pid;
}

int exitCodeOf(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int waitFor(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return exitCodeOf(status);
}

/// Reads what is there; closes at the end.
void drain(Descriptor& from, std::string& into) {
    std::array<char, 1 << 16> buffer;
    const auto count = ::read(from.get(), buffer.data(), buffer.size());
    if (count > 0) {
        into.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        from.close();
    }
}

/// Writes to a program that may have closed its end: SIGPIPE must not reach the caller, who may not ignore
/// it.
void feed(Descriptor& to, std::string_view& input) {
    sigset_t pipeSignal, before;
    sigemptyset(&pipeSignal);
    sigaddset(&pipeSignal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &before);
    const auto count = ::write(to.get(), input.data(), input.size());
    if (count < 0 && errno == EPIPE) {
        const timespec now{};
        sigtimedwait(&pipeSignal, nullptr, &now);
        input = {};
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
    if (input.empty()) to.close();
}

}  // namespace

ProcessResult runProcess(const std::vector<std::string>& command, const ProcessOptions& options,
                         std::stop_token stop) {
    const auto program = findProgram(command.at(0));
    if (!program) throw Error("The program " + command.at(0) + " is not installed.");
    Pipe in, out, err;
    const pid_t pid = spawn(*program, command, options, in, out, err);
    in.reader.close();
    out.writer.close();
    err.writer.close();
    ::fcntl(in.writer.get(), F_SETFL, O_NONBLOCK);

    ProcessResult result;
    std::string_view input = options.input;
    if (input.empty()) in.writer.close();
    const auto deadline = Clock::now() + options.timeout;
    const auto endInTime = [&] {
        const bool late = Clock::now() > deadline;
        if (!late && !stop.stop_requested()) return;
        ::kill(-pid, SIGKILL);
        waitFor(pid);
        if (!late) throw Cancelled();
        throw Error(join(command, " ") + " did not end within " +
                    std::to_string(options.timeout.count() / 1000.0).substr(0, 4) + " s.");
    };
    while (out.reader.isOpen() || err.reader.isOpen()) {
        endInTime();
        std::array<pollfd, 3> watched{
            {{out.reader.get(), POLLIN, 0}, {err.reader.get(), POLLIN, 0}, {in.writer.get(), POLLOUT, 0}}};
        // A short wait, because a stop request cannot wake poll().
        if (::poll(watched.data(), watched.size(), 50) <= 0) continue;
        if (watched[0].revents) drain(out.reader, result.out);
        if (watched[1].revents) drain(err.reader, result.err);
        if (watched[2].revents) feed(in.writer, input);
    }
    // it may live on without its output, as a server does that writes to a log
    constexpr std::chrono::milliseconds kFirstPause(1), kLongestPause(50);
    int status = 0;
    for (auto pause = kFirstPause; ::waitpid(pid, &status, WNOHANG) == 0;
         pause = std::min(2 * pause, kLongestPause)) {
        endInTime();
        std::this_thread::sleep_for(pause);
    }
    result.exitCode = exitCodeOf(status);
    return result;
}

std::optional<std::filesystem::path> findProgram(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        if (::access(name.c_str(), X_OK) == 0) return name;
        return std::nullopt;
    }
    const char* path = std::getenv("PATH");
    auto folders = split(path ? path : "/usr/local/bin:/usr/bin:/bin", ':');
    for (const char* folder : {"/usr/local/sbin", "/usr/sbin", "/sbin"}) folders.emplace_back(folder);
    for (const auto& folder : folders) {
        auto candidate = std::filesystem::path(folder) / name;
        std::error_code unreadable;  // a folder of another user's in $PATH is no failure
        if (!folder.empty() && std::filesystem::is_regular_file(candidate, unreadable) &&
            ::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return std::nullopt;
}

}  // namespace dailies

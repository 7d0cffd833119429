#include "remote/sandbox/processes.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" {  // glibc before 2.37 forgot to say so itself
#include <sys/pidfd.h>
}

namespace dailies::remote::sandbox {

namespace {

namespace fs = std::filesystem;

struct ProcessEntry {
    ProcessIdentity identity;
    pid_t parent = 0;
    char state = '?';
};

fs::path procFolder(pid_t pid) {
    return fs::path("/proc") / std::to_string(pid);
}

/// nullopt when there is no such process.
std::optional<ProcessEntry> describe(pid_t pid) {
    std::string text;
    try {
        text = readFile(procFolder(pid) / "stat");
    } catch (const Error&) {
        return std::nullopt;  // it ended meanwhile
    }
    // "pid (name) state ppid …": the name may hold anything, so reading starts behind its last parenthesis.
    const auto nameEnd = text.rfind(')');
    if (nameEnd == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(nameEnd + 1));
    ProcessEntry entry{{pid, 0}, 0, '?'};
    fields >> entry.state >> entry.parent;
    std::string skipped;
    for (int field = 5; field < 22; ++field) fields >> skipped;
    fields >> entry.identity.startTime;
    return entry;
}

std::map<pid_t, ProcessEntry> allProcesses() {
    std::map<pid_t, ProcessEntry> all;
    for (const auto& folder : fs::directory_iterator("/proc")) {
        const auto name = folder.path().filename().string();
        const auto pid = parseAs<pid_t>(name);
        if (!pid) continue;
        if (const auto entry = describe(*pid); entry && entry->state != 'Z') all[*pid] = *entry;
    }
    return all;
}

bool carriesMark(pid_t pid, const std::string& mark) {
    try {
        const auto environment = '\0' + readFile(procFolder(pid) / "environ");
        return environment.find('\0' + std::string(kMarkVariable) + '=' + mark + '\0') != std::string::npos;
    } catch (const Error&) {
        return false;  // another user's, or ended
    }
}

/// The inodes ("socket:[1234]") of the Unix sockets that are bound below a folder.
std::set<std::string> socketsBelow(const fs::path& folder) {
    std::set<std::string> inodes;
    std::istringstream table(readFile("/proc/net/unix"));
    // Num RefCount Protocol Flags Type St Inode Path
    for (std::string line; std::getline(table, line);) {
        std::istringstream fields(line);
        std::string skipped, inode, path;
        for (int field = 0; field < 6; ++field) fields >> skipped;
        fields >> inode >> path;
        if (path.starts_with(folder.string() + "/")) inodes.insert("socket:[" + inode + "]");
    }
    return inodes;
}

/// sshd's sessions and slurmstepd overwrite their environment with a title, and both may have lost their
/// parent. The first still writes to our log, the second still holds its socket.
bool holdsOurFiles(pid_t pid, const fs::path& sshdLog, const std::set<std::string>& sockets) {
    std::error_code failure;
    const auto program = fs::read_symlink(procFolder(pid) / "exe", failure).filename().string();
    if (program.starts_with("sshd")) return fs::read_symlink(procFolder(pid) / "fd/2", failure) == sshdLog;
    if (!program.starts_with("slurmstepd")) return false;
    for (fs::directory_iterator file(procFolder(pid) / "fd", failure), end; !failure && file != end;
         file.increment(failure))
        if (sockets.contains(fs::read_symlink(*file, failure).string())) return true;
    return false;
}

/// The calling program is never part of it, even when a job of the sandbox runs it.
std::vector<ProcessIdentity> survivors(const SandboxProcesses& what) {
    const auto all = allProcesses();
    const auto sockets = socketsBelow(what.runFolder);
    std::set<pid_t> chosen;
    for (const auto& daemon : what.daemons)
        if (isAlive(daemon)) chosen.insert(daemon.pid);
    for (const auto& [pid, entry] : all)
        if (carriesMark(pid, what.mark) || holdsOurFiles(pid, what.sshdLog, sockets)) chosen.insert(pid);
    for (bool grew = true; grew;) {
        grew = false;
        for (const auto& [pid, entry] : all)
            if (chosen.contains(entry.parent)) grew |= chosen.insert(pid).second;
    }
    chosen.erase(::getpid());
    std::vector<ProcessIdentity> result;
    for (const pid_t pid : chosen)
        if (const auto found = all.find(pid); found != all.end()) result.push_back(found->second.identity);
    return result;
}

void kill(const ProcessIdentity& process) {
    // The descriptor pins the pid, so that between the check and the signal it cannot become another process.
    const int handle = ::pidfd_open(process.pid, 0);
    if (handle < 0) return;
    if (isAlive(process)) ::pidfd_send_signal(handle, SIGKILL, nullptr, 0);
    ::close(handle);
}

}  // namespace

ProcessIdentity startDaemon(const std::vector<std::string>& command,
                            const std::map<std::string, std::string>& environment, const fs::path& log) {
    // Between fork and exec only system calls are allowed in a program with threads: everything is made
    // before.
    std::vector<std::string> assignments;
    for (const auto& [name, value] : environment) assignments.push_back(name + "=" + value);
    std::vector<char*> variables, arguments;
    for (auto& assignment : assignments) variables.push_back(assignment.data());
    variables.push_back(nullptr);
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const auto folder = log.parent_path();
    const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    int pidPipe[2];
    if (output < 0 || input < 0 || ::pipe2(pidPipe, O_CLOEXEC) != 0)
        throw Error("Cannot start " + command.at(0) + ": " + std::strerror(errno) + ".");

    const pid_t middle = ::fork();
    if (middle == 0) {
        // A grandchild is adopted by init, which collects it: the caller may live on without ever waiting for
        // it.
        const pid_t daemon = ::fork();
        if (daemon == 0) {
            ::setsid();
            // what jobs make is for their group to read, as on any cluster, however private the caller is
            ::umask(S_IWGRP | S_IWOTH);
            if (::chdir(folder.c_str()) != 0) ::_exit(127);
            ::dup2(input, STDIN_FILENO);
            ::dup2(output, STDOUT_FILENO);
            ::dup2(output, STDERR_FILENO);
            ::close_range(STDERR_FILENO + 1, ~0U, 0);
            sigset_t none;
            ::sigemptyset(&none);
            ::sigprocmask(SIG_SETMASK, &none, nullptr);
            ::signal(SIGPIPE, SIG_DFL);
            ::execve(arguments[0], arguments.data(), variables.data());
            ::_exit(127);
        }
        const auto written = ::write(pidPipe[1], &daemon, sizeof daemon);
        ::_exit(written == sizeof daemon ? 0 : 1);
    }
    ::close(pidPipe[1]);
    ::close(input);
    ::close(output);
    pid_t daemon = -1;
    const auto count = ::read(pidPipe[0], &daemon, sizeof daemon);
    ::close(pidPipe[0]);
    if (middle > 0) ::waitpid(middle, nullptr, 0);
    if (count != sizeof daemon || daemon < 0)
        throw Error("Cannot start " + command.at(0) + ": no process left.");
    const auto entry = describe(daemon);
    return entry ? entry->identity : ProcessIdentity{daemon, 0};
}

bool isAlive(const ProcessIdentity& process) {
    const auto entry = describe(process.pid);
    return entry && entry->state != 'Z' && entry->identity.startTime == process.startTime;
}

void killAll(const SandboxProcesses& what) {
    using namespace std::chrono_literals;
    // Several rounds, because a daemon may start something between the look and the kill.
    for (int round = 0; round < 250; ++round) {
        const auto alive = survivors(what);
        if (alive.empty()) return;
        for (const auto& process : alive) kill(process);
        std::this_thread::sleep_for(20ms);
    }
    throw Error("Some processes of the sandbox cannot be ended.",
                "Look for " + std::string(kMarkVariable) + "=" + what.mark +
                    " in the environment of what still runs.");
}

}  // namespace dailies::remote::sandbox

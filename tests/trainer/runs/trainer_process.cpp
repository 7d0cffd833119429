#include "tests/trainer/runs/trainer_process.h"

#include "core/base/json.h"
#include "tests/support/folders.h"
#include "tests/trainer/runs/child_setup.h"

#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dailies::trainer {

namespace {

/// Replaces the process that has been forked for it.
[[noreturn]] void becomeProgram(const std::string& program, const std::vector<std::string>& words) {
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
}

/// The program trainer_server: dailies-train, loaded once, and forked for each process that a test starts.
class TrainerServer {
public:
    TrainerServer() {
        // The server's grandchildren become children of the test, which waits for them.
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
            throw std::runtime_error("cannot make a socket pair");
        m_pid = ::fork();
        if (m_pid < 0) throw std::runtime_error("cannot fork");
        if (m_pid == 0) {
            const int given = ::fcntl(ends[1], F_DUPFD, 3);
            becomeProgram(DAILIES_BINARY_FOLDER "/trainer_server", {std::to_string(given)});
        }
        ::close(ends[1]);
        m_socket = ends[0];
    }
    ~TrainerServer() {
        ::close(m_socket);
        ::waitpid(m_pid, nullptr, 0);
    }

    pid_t start(const Json& request) {
        const std::lock_guard lock(m_mutex);
        const auto sent = request.dump();
        std::string answer(32, '\0');
        if (::send(m_socket, sent.data(), sent.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(sent.size()))
            throw std::runtime_error("trainer_server takes no request");
        const auto size = ::recv(m_socket, answer.data(), answer.size(), 0);
        if (size <= 0) throw std::runtime_error("trainer_server gives no answer");
        answer.resize(static_cast<std::size_t>(size));
        return std::stoi(answer);
    }

private:
    std::mutex m_mutex;
    pid_t m_pid = -1;
    int m_socket = -1;
};

}  // namespace

TrainerProcess::TrainerProcess(const std::vector<std::string>& words, const std::filesystem::path& output,
                               const Variables& variables, std::int64_t fileLimit, LibTorch libtorch) {
    auto setup = ChildSetup::inherited(variables);
    setup.output = output.string();
    setup.fileLimit = fileLimit;
    if (libtorch == LibTorch::Shared && !variables.contains("OMP_NUM_THREADS")) {
        static TrainerServer server;
        m_pid = server.start({{"words", words}, {"setup", toJson(setup)}});
        return;
    }
    m_pid = ::fork();
    if (m_pid < 0) throw std::runtime_error("cannot fork");
    if (m_pid > 0) return;
    setup.apply();
    becomeProgram(DAILIES_BINARY_FOLDER "/dailies-train", words);
}

TrainerProcess::~TrainerProcess() {
    if (m_pid < 0) return;
    ::kill(m_pid, SIGKILL);
    wait();
}

void TrainerProcess::signal(int number) const {
    ::kill(m_pid, number);
}

int TrainerProcess::wait() {
    int status = 0;
    ::waitpid(m_pid, &status, 0);
    m_pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace dailies::trainer

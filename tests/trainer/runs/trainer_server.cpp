// dailies-train for tests, which start it hundreds of times: it is loaded once and forked for each request
// (tests/trainer/runs/trainer_process.cpp). It must have no thread when it forks, so it does nothing else.

#include "core/base/json.h"
#include "tests/trainer/runs/child_setup.h"
#include "trainer/cli/verbs.h"

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dailies::trainer {

namespace {

[[noreturn]] void run(const Json& request) {
    setupFromJson(request.at("setup")).apply();
    std::exit(runCommandLine(request.at("words").get<Args>()));
}

/// The number of a process that carries `request` out and whose parent has ended, so that it becomes the
/// child of the test. 0: it could not be made.
pid_t start(const Json& request, int socket) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return 0;
    const pid_t parent = ::fork();
    if (parent == 0) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (const int end : {ends[0], ends[1], socket}) ::close(end);
            run(request);
        }
        const bool told = ::write(ends[1], &child, sizeof child) == sizeof child;
        std::_Exit(told ? 0 : 1);
    }
    ::close(ends[1]);
    pid_t child = 0;
    if (::read(ends[0], &child, sizeof child) != sizeof child) child = 0;
    ::close(ends[0]);
    ::waitpid(parent, nullptr, 0);
    return child;
}

int serve(int socket) {
    for (std::string request(1 << 20, '\0');;) {
        const auto size = ::recv(socket, request.data(), request.size(), 0);
        if (size <= 0) return 0;  // the test has ended
        const auto answer = std::to_string(start(Json::parse(request.substr(0, size)), socket));
        if (::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return 0;
    }
}

}  // namespace

}  // namespace dailies::trainer

int main(int count, char** args) {
    return count == 2 ? dailies::trainer::serve(std::stoi(args[1])) : 2;
}

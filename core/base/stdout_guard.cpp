#include "core/base/stdout_guard.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <unistd.h>

namespace dailies {

namespace {

/// A handler and not SIG_IGN, which programs that are started would inherit.
void outlive(int signal) {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

/// With /dev/null the wrong way round, so that a use of them still fails.
void takeClosedDescriptors() {
    for (const int wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(wanted, F_GETFD) >= 0 || errno != EBADF) continue;
        const int taken = ::open("/dev/null", wanted == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (taken >= 0 && taken != wanted) {
            ::dup2(taken, wanted);
            ::close(taken);
        }
    }
}

}  // namespace

class StdoutGuard::Buffer : public std::streambuf {
public:
    Buffer() : m_isTerminal(::isatty(STDOUT_FILENO) == 1) { empty(); }

    void write() {
        const char* next = pbase();
        while (m_problem == 0 && next < pptr()) {
            const auto count = ::write(STDOUT_FILENO, next, static_cast<std::size_t>(pptr() - next));
            if (count >= 0) {
                next += count;
                continue;
            }
            const int problem = errno;
            if (problem == EINTR) continue;
            if (problem == EAGAIN) {  // another program made the terminal or pipe non-blocking
                pollfd room{STDOUT_FILENO, POLLOUT, 0};
                ::poll(&room, 1, -1);
                continue;
            }
            m_problem = problem;
            break;
        }
        empty();
        if (m_problem != 0)
            throw StdoutWriteError(std::string("Cannot write to standard output: ") +
                                   std::strerror(m_problem) + ". The output is incomplete.");
    }

protected:
    int_type overflow(int_type c) override {
        write();
        if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
        return traits_type::not_eof(c);
    }

    int sync() override {
        write();
        return 0;
    }

    std::streamsize xsputn(const char* text, std::streamsize length) override {
        const auto taken = std::streambuf::xsputn(text, length);
        if (m_isTerminal && std::memchr(text, '\n', static_cast<std::size_t>(length))) write();
        return taken;
    }

private:
    void empty() { setp(m_bytes.data(), m_bytes.data() + m_bytes.size()); }

    const bool m_isTerminal;
    int m_problem = 0;  ///< of the first write that failed
    std::array<char, 1 << 16> m_bytes;
};

StdoutGuard::StdoutGuard() {
    for (const int signal : {SIGPIPE, SIGXFSZ}) outlive(signal);
    takeClosedDescriptors();
    m_buffer = std::make_unique<Buffer>();
    m_before = std::cout.rdbuf(m_buffer.get());
    std::cout.exceptions(std::ios::badbit);
    std::cerr.tie(nullptr);  // a message about a failed write must not write there again
}

StdoutGuard::~StdoutGuard() {
    std::cout.exceptions(std::ios::goodbit);
    std::cout.rdbuf(m_before);
}

void StdoutGuard::finish() {
    m_buffer->write();
}

}  // namespace dailies

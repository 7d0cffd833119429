#include "app/terminal/terminal_prompter.h"

#include "core/base/text.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace dailies::app {

namespace {

class TerminalLine {
public:
    TerminalLine() : m_fd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}
    ~TerminalLine() {
        if (m_fd >= 0) ::close(m_fd);
    }
    TerminalLine(const TerminalLine&) = delete;
    TerminalLine& operator=(const TerminalLine&) = delete;

    bool isThere() const { return m_fd >= 0; }

    std::optional<std::string> ask(const std::string& question, bool echo,
                                   const std::stop_token& stop) const {
        if (m_fd < 0) return std::nullopt;
        // Before the question: what is typed at once must not be seen, nor thrown away.
        termios shown{};
        const bool hide = !echo && ::tcgetattr(m_fd, &shown) == 0;
        if (hide) {
            termios hidden = shown;
            hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
            ::tcsetattr(m_fd, TCSAFLUSH, &hidden);
        }
        std::array<char, 1024> buffer{};
        const auto count =
            put(question) && awaitAnswer(stop) ? ::read(m_fd, buffer.data(), buffer.size()) : -1;
        if (hide) {
            ::tcsetattr(m_fd, TCSAFLUSH, &shown);
            put("\n");
        }
        std::optional<std::string> answer;
        if (count > 0) answer = std::string(buffer.data(), static_cast<std::size_t>(count));
        ::explicit_bzero(buffer.data(), buffer.size());
        if (answer && answer->ends_with('\n')) answer->pop_back();
        return answer;
    }

private:
    bool awaitAnswer(const std::stop_token& stop) const {
        while (!stop.stop_requested()) {
            pollfd line{m_fd, POLLIN, 0};
            const int ready = ::poll(&line, 1, 100);  // a request to stop cannot wake it
            if (ready != 0 && !(ready < 0 && errno == EINTR)) return ready > 0;
        }
        return false;
    }

    bool put(const std::string& text) const { return ::write(m_fd, text.data(), text.size()) >= 0; }

    int m_fd;
};

}  // namespace

bool TerminalPrompter::canAsk() const {
    return TerminalLine().isThere();
}

remote::ssh::Prompter::Trust TerminalPrompter::trustHostKey(const remote::ssh::HostKey& key) {
    const auto answer =
        TerminalLine().ask("The host " + sanitizedText(key.host) + " is not known yet. Its " + key.type +
                               " key is\n  " + key.fingerprint + "\nTrust it? yes (and save) / once / no: ",
                           true, m_stop);
    if (answer == "yes" || answer == "y") return Trust::Save;
    if (answer == "once") return Trust::Once;
    return Trust::Refuse;
}

std::optional<std::string> TerminalPrompter::secret(const std::string& prompt, bool echo) {
    return TerminalLine().ask(sanitizedText(prompt) + (prompt.ends_with(' ') ? "" : " "), echo, m_stop);
}

}  // namespace dailies::app

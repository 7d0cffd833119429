#pragma once

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "tests/support/folders.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace dailies::test {

/// The real `dailies` program with a home of its own: its database, clusters and sandbox are in a temporary
/// folder.
class DailiesProgram {
public:
    struct Answer {
        int status = 0;
        std::string out, err;
    };

    explicit DailiesProgram(std::filesystem::path home) : m_home(std::move(home)) {}

    /// What a shell runs; before it may stand what is to hold for it ("ulimit -f 8; ").
    std::string command(const std::vector<std::string>& words, const std::string& environment = {}) const {
        std::string line = "env XDG_DATA_HOME=" + shellQuote((m_home / "data").string()) +
                           " XDG_CONFIG_HOME=" + shellQuote((m_home / "config").string()) +
                           " XDG_STATE_HOME=" + shellQuote((m_home / "state").string()) +
                           " DAILIES_STORE=" + shellQuote(store().string()) + " QT_QPA_PLATFORM=offscreen " +
                           environment + " " + shellQuote(DAILIES_BINARY_FOLDER "/dailies");
        for (const auto& word : words) line += " " + shellQuote(word);
        return line;
    }

    /// Runs a shell's line, whose standard output may go elsewhere ("… >/dev/full").
    Answer shell(const std::string& line) const {
        const auto out = m_home / "stdout", err = m_home / "stderr";
        const int status = std::system(("{ " + line + "; } >" + shellQuote(out.string()) + " 2>" +
                                        shellQuote(err.string()) + " </dev/null")
                                           .c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), readFile(out),
                readFile(err)};
    }

    Answer run(const std::vector<std::string>& words, const std::string& environment = {}) const {
        return shell(command(words, environment));
    }

    /// Starts the program and returns at once: the process itself, so that a signal reaches it.
    pid_t start(std::vector<std::string> words) const {
        words.insert(words.begin(), DAILIES_BINARY_FOLDER "/dailies");
        const pid_t child = ::fork();
        if (child != 0) return child;
        for (const auto& [name, value] :
             {std::pair<const char*, std::string>{"XDG_DATA_HOME", (m_home / "data").string()},
              {"XDG_CONFIG_HOME", (m_home / "config").string()},
              {"XDG_STATE_HOME", (m_home / "state").string()},
              {"DAILIES_STORE", store().string()}})
            ::setenv(name, value.c_str(), 1);
        std::vector<char*> arguments;
        for (auto& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }

    /// The exit status of what `start` started, or -1 when it has not ended after so long; it is killed then.
    static int end(pid_t program, std::chrono::milliseconds within) {
        int status = 0;
        for (auto waited = std::chrono::milliseconds(0); ::waitpid(program, &status, WNOHANG) == 0;
             waited += std::chrono::milliseconds(10)) {
            if (waited > within) {
                ::kill(program, SIGKILL);
                ::waitpid(program, &status, 0);
                return -1;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    Json json(std::vector<std::string> words) const {
        words.insert(words.end(), {"--format", "json"});
        const auto answer = run(words);
        if (answer.status > 1) throw std::runtime_error(join(words, " ") + ": " + answer.err);
        return parseJson(answer.out, "the answer of dailies " + words.front());
    }

    const std::filesystem::path& home() const { return m_home; }
    std::filesystem::path store() const { return m_home / "data" / "dailies" / "dailies.db"; }

private:
    std::filesystem::path m_home;
};

}  // namespace dailies::test

#pragma once

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
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

    Answer run(const std::vector<std::string>& words, const std::string& environment = {}) const {
        std::string command = "env XDG_DATA_HOME=" + shellQuote((m_home / "data").string()) +
                              " XDG_CONFIG_HOME=" + shellQuote((m_home / "config").string()) +
                              " XDG_STATE_HOME=" + shellQuote((m_home / "state").string()) +
                              " DAILIES_STORE=" + shellQuote(store().string()) +
                              " QT_QPA_PLATFORM=offscreen " + environment + " " +
                              shellQuote(DAILIES_BINARY_FOLDER "/dailies");
        for (const auto& word : words) command += " " + shellQuote(word);
        const auto out = m_home / "stdout", err = m_home / "stderr";
        const int status = std::system(
            (command + " >" + shellQuote(out.string()) + " 2>" + shellQuote(err.string()) + " </dev/null")
                .c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), readFile(out),
                readFile(err)};
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

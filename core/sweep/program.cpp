#include "core/sweep/program.h"

namespace dailies::sweep {

const std::vector<std::string>& defaultCommand() {
    static const std::vector<std::string> words = {"${env}", "${interpreter}", "${program}", "${args}"};
    return words;
}

const std::vector<std::string>& commandOf(const Program& program) {
    return program.command.empty() ? defaultCommand() : program.command;
}

std::string nameOf(const Program& program) {
    if (!program.file.empty()) return program.file;
    std::string first;
    for (std::size_t i = 0; i < program.command.size(); ++i) {
        const std::string& word = program.command[i];
        if (word == "-m" && i + 1 < program.command.size()) return program.command[i + 1];
        if (word.starts_with("${")) continue;
        if (word.ends_with(".py")) return word;
        if (first.empty()) first = word;
    }
    return first;
}

}  // namespace dailies::sweep

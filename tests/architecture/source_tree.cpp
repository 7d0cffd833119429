#include "tests/architecture/source_tree.h"

#include "tests/support/folders.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <utility>

namespace dailies::architecture {

std::vector<std::string> trackedFiles(const std::string& folder) {
    const std::string command = std::string("git -C '") + DAILIES_SOURCE_FOLDER + "' ls-files " + folder;
    std::vector<std::string> files;
    const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
    std::string name;
    for (int c = 0; output && (c = std::fgetc(output.get())) != EOF;) {
        if (c != '\n') {
            name += static_cast<char>(c);
            continue;
        }
        files.push_back(std::exchange(name, {}));
    }
    return files;
}

std::vector<Include> includesBelow(const std::string& folder) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^">]+)[">])");
    std::vector<Include> found;
    const std::filesystem::path root = DAILIES_SOURCE_FOLDER;
    for (const auto& name : trackedFiles(folder)) {
        const auto extension = std::filesystem::path(name).extension();
        if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
        std::ifstream file(root / name);
        std::string text;
        for (int line = 1; std::getline(file, text); ++line) {
            std::smatch match;
            if (text.find("include") != std::string::npos && std::regex_search(text, match, kInclude))
                found.push_back({name, match[2], match[1] == "\"", line});
        }
    }
    return found;
}

std::string roomOf(const std::string& file) {
    const auto first = file.find('/');
    const auto second = first == std::string::npos ? first : file.find('/', first + 1);
    return second == std::string::npos ? "" : file.substr(0, second);
}

}  // namespace dailies::architecture

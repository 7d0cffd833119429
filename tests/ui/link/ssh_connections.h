#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace dailies::ui::test {

/// Of a process, which may end at any moment: reading of one that did is an error, which is told as nothing.
inline std::string ofProcess(const std::filesystem::path& file) {
    try {
        std::ifstream stream(file);
        return {std::istreambuf_iterator<char>(stream), {}};
    } catch (const std::ios_base::failure&) {
        return {};
    }
}

/// The server processes of the SSH connections to this sandbox: children of the listener, which has the
/// sandbox's configuration on its command line.
inline std::set<int> sshConnections(const std::filesystem::path& sandboxFolder) {
    std::set<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) continue;
        const auto status = ofProcess(entry.path() / "stat");
        if (status.find("(sshd)") == std::string::npos) continue;
        const auto afterName = status.rfind(')') + 4;
        const auto parent = status.substr(afterName, status.find(' ', afterName) - afterName);
        if (ofProcess("/proc/" + parent + "/cmdline").find(sandboxFolder.string()) != std::string::npos)
            found.insert(std::stoi(name));
    }
    return found;
}

}  // namespace dailies::ui::test

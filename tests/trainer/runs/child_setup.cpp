#include "tests/trainer/runs/child_setup.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace dailies::trainer {

ChildSetup ChildSetup::inherited(const std::map<std::string, std::string>& changes) {
    ChildSetup setup{.folder = std::filesystem::current_path().string(), .variables = changes};
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text(*entry);
        if (const auto equals = text.find('='); equals != text.npos)
            setup.variables.emplace(text.substr(0, equals), text.substr(equals + 1));  // no change's twin
    }
    return setup;
}

void ChildSetup::apply() const {
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
    if (::chdir(folder.c_str()) != 0) std::_Exit(127);
    ::clearenv();
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    if (fileLimit > 0) {
        const rlimit limit{static_cast<rlim_t>(fileLimit), static_cast<rlim_t>(fileLimit)};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
}

Json toJson(const ChildSetup& setup) {
    return {{"output", setup.output},
            {"folder", setup.folder},
            {"variables", setup.variables},
            {"fileLimit", setup.fileLimit}};
}

ChildSetup setupFromJson(const Json& setup) {
    return {.output = setup.at("output"),
            .folder = setup.at("folder"),
            .variables = setup.at("variables"),
            .fileLimit = setup.at("fileLimit")};
}

}  // namespace dailies::trainer

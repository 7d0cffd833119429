#include "core/log/system_facts.h"

#include "core/base/text.h"

#include <fstream>
#include <sys/utsname.h>
#include <thread>

namespace dailies::log {

namespace {

std::string distribution() {
    std::ifstream release("/etc/os-release");
    for (std::string line; std::getline(release, line);) {
        if (!line.starts_with("PRETTY_NAME=")) continue;
        line = trim(line.substr(line.find('=') + 1));
        if (line.size() > 1 && (line.front() == '"' || line.front() == '\''))
            line = line.substr(1, line.size() - 2);
        return line;
    }
    return {};
}

}  // namespace

std::string systemFacts() {
    utsname system{};
    ::uname(&system);
    const auto name = distribution();
    return (name.empty() ? "" : name + ", ") + system.sysname + " " + system.release + " " + system.machine +
           ", " + std::to_string(std::thread::hardware_concurrency()) + " CPUs";
}

}  // namespace dailies::log

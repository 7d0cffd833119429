#pragma once

#include <string>

namespace dailies::log {

/// "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64, 2 CPUs": what a report needs of the computer, and
/// nothing that says whose it is. Reads /etc/os-release.
std::string systemFacts();

}  // namespace dailies::log

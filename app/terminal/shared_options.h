#pragma once

#include <CLI/CLI.hpp>

namespace dailies::app {

/// Lets the program's own options stand before a command: `dailies --store FILE runs` means the same as
/// `dailies runs --store FILE`. What a command does not take is refused there as it is behind it. To be
/// called when every command is added.
void shareOptionsWithCommands(CLI::App& program);

}  // namespace dailies::app

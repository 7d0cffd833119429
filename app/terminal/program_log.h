#pragma once

#include "core/log/log.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace dailies::app {

/// Adds `--log-level` to the program and to each of its commands, for the same string: empty when nobody said
/// it. To be called when every command is added.
void addLogLevelOption(CLI::App& program, std::string& level);

/// What was said, else $DAILIES_LOG_LEVEL; nullopt: neither, or no level that is known.
std::optional<log::Level> chosenLogLevel(const std::string& said);

/// "Dailies 0.1.0, Qt 6.4.2, libssh 0.10.6; Debian GNU/Linux 12 …": what a report begins with.
std::string programFacts();

/// This process's part of the log, from its first line with what was started to its last with how it ended.
class ProgramLog {
public:
    void start(std::optional<log::Level> level, int argc, char** argv);
    /// Does nothing where it was not started, as by arguments that were refused.
    void end(int status);

private:
    std::optional<log::Writer> m_writer;
    std::chrono::steady_clock::time_point m_begin;
};

}  // namespace dailies::app

#include "app/terminal/program_log.h"

#include "core/base/text.h"
#include "core/log/system_facts.h"
#include "remote/ssh/library_version.h"

#ifdef DAILIES_WITH_UI
#include <QtGlobal>
#endif

#include <cstdlib>

namespace dailies::app {

namespace {

void addBelow(CLI::App& app, std::string& level) {
    app.add_option("--log-level", level,
                   "How much goes to the log of Dailies itself (`dailies log`); default $DAILIES_LOG_LEVEL, "
                   "else info")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) addBelow(*command, level);
}

std::string commandLine(int argc, char** argv) {
    std::string line = "dailies";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const bool plain = word.find_first_not_of(
                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789-_./=:@%+,") == std::string::npos;
        line += " " + (plain && !word.empty() ? word : shellQuote(word));
    }
    return line;
}

}  // namespace

void addLogLevelOption(CLI::App& program, std::string& level) {
    addBelow(program, level);
}

std::optional<log::Level> chosenLogLevel(const std::string& said) {
    if (!said.empty()) return log::levelFromName(said);
    const char* variable = std::getenv("DAILIES_LOG_LEVEL");
    return variable ? log::levelFromName(variable) : std::nullopt;
}

std::string programFacts() {
    std::string facts = "Dailies " DAILIES_VERSION;
#ifdef DAILIES_WITH_UI
    facts += std::string(", Qt ") + qVersion();
#endif
    return facts + ", libssh " + remote::ssh::libraryVersion() + "; " + log::systemFacts();
}

void ProgramLog::start(std::optional<log::Level> level, int argc, char** argv) {
    m_begin = std::chrono::steady_clock::now();
    m_writer.emplace(level.value_or(log::Level::Info));
    log::info("program", "started: " + commandLine(argc, argv) + " (" + programFacts() + ")");
    if (const char* variable = std::getenv("DAILIES_LOG_LEVEL");
        variable && *variable && !log::levelFromName(variable))
        log::warning("program", "$DAILIES_LOG_LEVEL is none of debug, info, warning and error");
}

void ProgramLog::end(int status) {
    if (!m_writer) return;
    log::info("program",
              "ended with status " + std::to_string(status) + " after " + log::secondsSince(m_begin));
    m_writer.reset();
}

}  // namespace dailies::app

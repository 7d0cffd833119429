#pragma once

#include "core/log/log_file.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// What Dailies does, for somebody who looks for what went wrong: one line an event, in files that several
/// programs may write at once (see `LogFile`). Without a `Writer` nothing is written, so libraries need not
/// ask.
///
/// All functions may be called from any thread, GUI thread included: a line is handed to a thread of its own,
/// and where that one cannot keep up, the oldest lines go. None throws. Secrets are taken out there (see
/// `Redactor`), and still no caller may hand any over: passphrases, answers and what commands read are never
/// logged.
namespace dailies::log {

enum class Level { Debug, Info, Warning, Error };

std::optional<Level> levelFromName(std::string_view name);  ///< "debug", "info", "warning", "error"
std::string_view nameOf(Level level);

/// The program's log, for as long as it lives: one at a time. A file that cannot be written costs one line on
/// standard error and nothing else.
class Writer {
public:
    explicit Writer(Level level = Level::Info, LogFile file = {});
    ~Writer();  ///< what is still to be written is
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
};

Level level();
void setLevel(Level level);  ///< from now on
bool enabled(Level level);   ///< whether a line of this level would be written: for texts that cost something

/// `topic`: the part that says it, in a word: "ssh", "slurm", "store", "window".
void write(Level level, std::string_view topic, std::string_view text) noexcept;
inline void debug(std::string_view topic, std::string_view text) noexcept {
    write(Level::Debug, topic, text);
}
inline void info(std::string_view topic, std::string_view text) noexcept {
    write(Level::Info, topic, text);
}
inline void warning(std::string_view topic, std::string_view text) noexcept {
    write(Level::Warning, topic, text);
}
inline void error(std::string_view topic, std::string_view text) noexcept {
    write(Level::Error, topic, text);
}

/// Waits until what was said before is in the file, a second at most.
void flush() noexcept;

/// "0.21 s" since then, for lines that say how long something took.
std::string secondsSince(std::chrono::steady_clock::time_point begin);

}  // namespace dailies::log

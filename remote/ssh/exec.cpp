#include "remote/ssh/exec.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/log/log.h"
#include "remote/ssh/script_name.h"
#include "remote/ssh/watchdog.h"

namespace dailies::remote::ssh {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = 64u << 20;
constexpr std::chrono::seconds kSlow{2};

/// The script between two markers on both streams. In parentheses, the shell must have read all of it before
/// it runs any of it: a connection that breaks in between never runs half a script. Its standard input is not
/// the script's own rest.
std::string framed(std::string_view script, const std::string& marker) {
    const auto mark = "printf '%s' '" + marker + "'; printf '%s' '" + marker + "' >&2\n";
    return mark + "(\n" + std::string(script) + "\n) </dev/null\ndailies_status=$?\n" + mark +
           "exit $dailies_status\n";
}

/// What lies between the markers: start-up files print before, and whatever they left running may print
/// behind. A script that was killed, or that the shell could not parse, has no second marker.
std::string between(const std::string& text, const std::string& marker) {
    const auto begin = text.find(marker);
    if (begin == std::string::npos) return text;
    const auto from = begin + marker.size();
    const auto end = text.find(marker, from);
    return text.substr(from, end == std::string::npos ? end : end - from);
}

/// The script never began: /sbin/nologin, /bin/false or a command that sshd forces took the shell's place.
[[noreturn]] void failDeadShell(const Connection& connection, const ExecResult& result) {
    constexpr std::size_t kShown = 300;
    const auto said = sanitizedText(trim(result.err.empty() ? result.out : result.err)).substr(0, kShown);
    throw SessionError(
        Failure::Remote,
        "The login shell on " + connection.host() + " does not run commands: it exited with status " +
            std::to_string(result.exitCode) + (said.empty() ? " and said nothing." : ": " + said),
        "`" + connection.trialCommand() +
            "` must end with status 0. Ask the cluster's administrators for a shell that "
            "is not /bin/false or nologin.");
}

/// Those that failed or took long without being asked for details: some run every second.
void logEnd(const Connection& connection, std::string_view script, const ExecResult& result,
            Clock::time_point begin) {
    const auto level = result.ok() && Clock::now() - begin < kSlow ? log::Level::Debug : log::Level::Info;
    if (!log::enabled(level)) return;
    log::write(level, "ssh",
               "command on " + connection.host() + " ended with status " + std::to_string(result.exitCode) +
                   " in " + log::secondsSince(begin) + ": " + scriptName(script));
}

bool isComplete(const std::string& text, const std::string& marker) {
    const auto begin = text.find(marker);
    return begin != std::string::npos && text.find(marker, begin + marker.size()) != std::string::npos;
}

}  // namespace

void readUntil(Connection& connection, Channel& channel, std::string& out, std::string& err,
               const std::stop_token& stop, const std::function<bool()>& enough) {
    auto watch = std::make_optional<Watchdog::Watch>(connection.watchdog(), connection.idleTimeout(), stop,
                                                     kStopPatience);
    auto lastByte = Clock::now();
    while (!channel.atEnd() && !enough()) {
        if (stop.stop_requested()) throw Cancelled();
        if (channel.collect(out, err, kTick)) {
            lastByte = Clock::now();
            if (out.size() + err.size() > kMaxOutput)
                throw SessionError(Failure::Remote,
                                   "A command on " + connection.host() + " printed more than 64 MiB.");
            continue;
        }
        if (!connection.connected()) connection.fail("The command was interrupted");
        if (Clock::now() - lastByte > connection.keepAliveAfter()) {
            watch.reset();
            connection.keepAlive(stop);
            watch.emplace(connection.watchdog(), connection.idleTimeout(), stop, kStopPatience);
            lastByte = Clock::now();
        }
    }
}

ExecResult runScript(Connection& connection, std::string_view script, const std::stop_token& stop) {
    connection.requireConnected();
    const auto marker = newId();
    const auto began = Clock::now();
    ExecResult result;
    auto watch = std::make_optional<Watchdog::Watch>(connection.watchdog(), connection.idleTimeout(), stop,
                                                     kStopPatience);
    Channel channel(connection, "exec /bin/sh -s");
    try {
        channel.write(framed(script, marker));
        channel.sendEof();
    } catch (const SessionError& error) {
        if (error.failure() != Failure::Remote) throw;
        // The shell ended before it had read all of it: what it said tells more.
    }
    watch.reset();
    readUntil(connection, channel, result.out, result.err, stop, [&] {
        // Something that the script left running may hold the streams open for ever.
        return channel.exitCode() && isComplete(result.out, marker) && isComplete(result.err, marker);
    });
    watch.emplace(connection.watchdog(), connection.idleTimeout(), stop, kStopPatience);
    result.exitCode = channel.waitForExit();
    const auto begin = result.out.find(marker);
    if (begin == std::string::npos) failDeadShell(connection, result);
    connection.setStartupOutput(result.out.substr(0, begin));
    result.out = between(result.out, marker);
    result.err = between(result.err, marker);
    logEnd(connection, script, result, began);
    return result;
}

}  // namespace dailies::remote::ssh
